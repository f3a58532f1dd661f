import { useRef, useState } from 'react';
import type { Mode, Report } from './check-file.ts';
import { runCheck } from './run-check.ts';

/** What came of checking one file. */
export type Outcome = { readonly report: Report } | { readonly failure: string };

/** Files checked at once; what a person drops by mistake may be a whole disk. */
const MAX_FILES = 20;

async function outcomeOf(file: File, mode: Mode): Promise<Outcome> {
  try {
    return { report: await runCheck(file, mode) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : 'The check failed.' };
  }
}

/** What is being checked and what came of it. A newer question makes the answers to an older one void. */
export function useChecks() {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [mode, setMode] = useState<Mode>('store');
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [busy, setBusy] = useState(false);
  const latest = useRef(0);

  const check = async (dropped: readonly File[], as: Mode): Promise<void> => {
    const chosen = dropped.slice(0, MAX_FILES);
    latest.current += 1;
    const turn = latest.current;
    setFiles(chosen);
    setMode(as);
    setBusy(true);
    const found: Outcome[] = [];
    for (const file of chosen) found.push(await outcomeOf(file, as));
    if (turn !== latest.current) return;
    setOutcomes(found);
    setBusy(false);
  };
  return { files, mode, outcomes, busy, check };
}
