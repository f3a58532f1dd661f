import { useState } from 'react';

/** The result of copying; null before the first attempt. */
export type CopyOutcome = 'copied' | 'failed' | null;

/** Copies a text to the clipboard, and returns what became of the last attempt. Browsers may refuse. */
export function useCopy(text: string): { outcome: CopyOutcome; copy(): Promise<CopyOutcome> } {
  const [outcome, setOutcome] = useState<CopyOutcome>(null);
  const finish = (result: CopyOutcome) => {
    setOutcome(result);
    return result;
  };
  return {
    outcome,
    copy: () =>
      // Pages that are not served over https have no clipboard.
      (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))).then(
        () => finish('copied'),
        () => finish('failed'),
      ),
  };
}
