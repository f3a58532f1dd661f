import { FileDrop } from '@svc/ui';
import type { Mode } from './check-file.ts';
import { ReportView } from './report.tsx';
import { useChecks } from './use-checks.ts';
import { count } from './words.ts';

const MODES: readonly { readonly mode: Mode; readonly label: string; readonly hint: string }[] = [
  { mode: 'store', label: 'For the store', hint: 'as publishing would check it' },
  { mode: 'dev', label: 'For a local folder', hint: 'what only the store needs is a warning' },
];

function ModeChoice({ mode, onMode }: { mode: Mode; onMode: (mode: Mode) => void }) {
  return (
    <fieldset className="modes">
      <legend>Check it</legend>
      {MODES.map((one) => (
        <label key={one.mode}>
          <input type="radio" name="mode" checked={one.mode === mode} onChange={() => onMode(one.mode)} />
          <span>
            {one.label} <small>{one.hint}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** The page on which a developer checks an app before it leaves the machine. */
export function CheckPage() {
  const { files, mode, outcomes, busy, check } = useChecks();
  return (
    <main id="content">
      <header>
        <h1>Check an app</h1>
        <p>
          The checks that the store runs, in your browser: the file is not sent anywhere. The same on the
          command line: <code>svc validate</code>. <a href="/docs/codes">What the checks can find</a>
        </p>
      </header>
      <FileDrop
        title="Drop a bundle or a plugin.json here"
        hint="or paste it, or choose it from your machine"
        accept=".svc-app,.zip,.json"
        multiple
        onFiles={(chosen) => chosen.length > 0 && check(chosen, mode)}
      />
      <ModeChoice mode={mode} onMode={(as) => check(files, as)} />
      <p role="status" className="status">
        {busy ? `Checking ${count(files.length, 'file')}…` : ''}
      </p>
      <div aria-busy={busy}>
        {outcomes.map((outcome, i) =>
          'report' in outcome ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name, and the list is made again as a whole.
            <ReportView key={i} report={outcome.report} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <p key={i} role="alert" className="failure">
              {outcome.failure}
            </p>
          ),
        )}
      </div>
    </main>
  );
}
