import { FileDrop } from '@svc/ui';
import { COMMON_WORDS } from '../common-words.ts';
import type { Mode } from './check-file.ts';
import { ReportView } from './report.tsx';
import { useChecks } from './use-checks.ts';
import { count } from './words.ts';

const MODES: readonly { readonly mode: Mode; readonly label: string; readonly hint: string }[] = [
  { mode: 'store', label: 'For the store', hint: 'the same checks as publishing' },
  { mode: 'dev', label: 'For a local folder', hint: 'requirements of the store are warnings' },
];

function ModeChoice({ mode, onMode }: { mode: Mode; onMode: (mode: Mode) => void }) {
  return (
    <fieldset className="modes">
      <legend>Mode</legend>
      {MODES.map((option) => (
        <label key={option.mode}>
          <input
            type="radio"
            name="mode"
            checked={option.mode === mode}
            onChange={() => onMode(option.mode)}
          />
          <span>
            {option.label} <small>{option.hint}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** The page that checks an app in the browser, before it is uploaded. */
export function CheckPage() {
  const { files, mode, outcomes, busy, check } = useChecks();
  return (
    <main id="content">
      <header>
        <h1>Check an app</h1>
        <p>
          Runs the store's checks in your browser. The file is not uploaded. On the command line, use{' '}
          <code>svc validate</code>. <a href="/docs/codes">{COMMON_WORDS.allChecks}</a>
        </p>
      </header>
      <FileDrop
        title="Drop a bundle or a plugin.json here"
        hint="or paste or choose a file"
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
            // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name, and the list is replaced as a whole.
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
