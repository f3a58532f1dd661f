import { useRef, useState } from 'react';
import type { Mode, Report } from './check-file.ts';
import { runCheck } from './run-check.ts';

/** The report on one file, or why it could not be checked. */
export type Outcome = { readonly report: Report } | { readonly failure: string };

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
export function useChecks() {
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
