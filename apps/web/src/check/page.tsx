import { Check, count, FileDrop } from '@svc/ui';
import { useRef, useState } from 'react';
import { hasPage } from '../extensions/store-link.tsx';
import type { Mode, Report } from './check-file.ts';
import { ReportView } from './report.tsx';
import { runCheck } from './run-check.ts';

/** The report on one file, or why it could not be checked. */
type Outcome = { readonly report: Report } | { readonly failure: string };

/** Maximum number of files per drop: a user may drop a whole disk by mistake. */
const MAX_FILES = 20;

async function outcomeOf(file: File, mode: Mode): Promise<Outcome> {
  try {
    return { report: await runCheck(file, mode) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : 'The check failed.' };
  }
}

/** Checks files one after the other. A new drop discards the results of the previous one. */
function useChecks() {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [mode, setMode] = useState<Mode>('store');
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [busy, setBusy] = useState(false);
  const latest = useRef(0);

  const check = async (dropped: readonly File[], chosenMode: Mode): Promise<void> => {
    const chosen = dropped.slice(0, MAX_FILES);
    latest.current += 1;
    const turn = latest.current;
    setFiles(chosen);
    setMode(chosenMode);
    setBusy(true);
    const results: Outcome[] = [];
    for (const file of chosen) results.push(await outcomeOf(file, chosenMode));
    if (turn !== latest.current) return;
    setOutcomes(results);
    setBusy(false);
  };
  return { files, mode, outcomes, busy, check };
}

const MODES: readonly { readonly mode: Mode; readonly label: string; readonly hint: string }[] = [
  { mode: 'store', label: 'For the store', hint: 'the same checks as publishing' },
  { mode: 'dev', label: 'For a local folder', hint: 'requirements of the store are warnings' },
];

function ModeChoice({ mode, onMode }: { mode: Mode; onMode: (mode: Mode) => void }) {
  return (
    <fieldset className="cluster modes">
      <legend>Mode</legend>
      {MODES.map((option) => (
        <Check
          key={option.mode}
          label={
            <span>
              {option.label} <small>{option.hint}</small>
            </span>
          }
          type="radio"
          name="mode"
          checked={option.mode === mode}
          onChange={() => onMode(option.mode)}
        />
      ))}
    </fieldset>
  );
}

const PUBLISH = (
  <p>
    <a className="button" href="/account/publishers">
      Publish it
    </a>
  </p>
);

/** The page that checks an app in the browser, before it is uploaded. */
export function CheckPage() {
  const { files, mode, outcomes, busy, check } = useChecks();
  return (
    <main id="content">
      <header>
        <h1>Check an app</h1>
        <p>
          Runs the store's checks in your browser. The file is not uploaded. On the command line, use{' '}
          <code>svc validate</code>. {hasPage('/docs') && <a href="/docs/codes">All checks</a>}
        </p>
      </header>
      {/* One line once there is a report: the findings are what is read then. */}
      <div className={files.length === 0 ? undefined : 'card'}>
        <FileDrop
          title="Drop a bundle or a plugin.json here"
          hint="or paste or choose a file"
          accept=".svc-app,.zip,.json"
          multiple
          isLine={files.length > 0}
          onFiles={(chosen) => chosen.length > 0 && check(chosen, mode)}
        />
      </div>
      <ModeChoice mode={mode} onMode={(as) => check(files, as)} />
      <p role="status" className="status">
        {busy ? `Checking ${count(files.length, 'file')}…` : ''}
      </p>
      <div aria-busy={busy}>
        {outcomes.map((outcome, i) =>
          'report' in outcome ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name, and the list is replaced as a whole.
            <ReportView key={i} report={outcome.report} next={mode === 'store' && !busy ? PUBLISH : null} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <p key={i} role="alert" className="fault">
              {outcome.failure}
            </p>
          ),
        )}
      </div>
    </main>
  );
}
