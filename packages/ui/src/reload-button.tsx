import { useState } from 'react';
import { ActionButton } from './action-button.tsx';
import { time } from './text.ts';

type Query = { error: Error | null; refetch(): Promise<unknown> };

/** Reloads a list at a press of `ReloadButton` or of a key, and knows when it did. The page shows the error. */
export function useReload({ error, refetch }: Query) {
  const [isBusy, setBusy] = useState(false);
  const [at, setAt] = useState('');
  const reload = async () => {
    setBusy(true);
    await refetch();
    setBusy(false);
    setAt(time(new Date().toISOString()));
  };
  return { isBusy, at, error, reload: () => void (isBusy || reload()) };
}

/** The button of `useReload`, and its result. */
export const ReloadButton = ({ isBusy, at, error, reload }: ReturnType<typeof useReload>) => (
  <>
    <span role="status" className="soft">
      {at === '' || isBusy || error !== null ? '' : `Updated at ${at}`}
    </span>
    <ActionButton className="quiet" why={isBusy ? '' : null} onClick={reload}>
      {isBusy ? 'Reloading…' : 'Reload'}
    </ActionButton>
  </>
);
