import { useState } from 'react';
import type { ActivityFilter, ActivityPage } from '../../../src/wire/views.ts';
import { useDesk, useDesktopQuery } from '../wire/use-desktop.ts';
import { type Seen, withNewest } from './activity-days.ts';

type Shown = Seen & { key: string; page: ActivityPage | undefined };

const EMPTY: Shown = { key: '', page: undefined, entries: [], more: false };

/** The record of what apps did: its newest page, which follows what happens, and older ones as they are asked for. */
export function useActivity(filter: ActivityFilter) {
  const desk = useDesk();
  const key = JSON.stringify(filter);
  const newest = useDesktopQuery('activity.list', filter);
  const [kept, setKept] = useState<Shown>(EMPTY);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const page = newest.data;
  let shown = kept.key === key ? kept : EMPTY;
  if (page !== undefined && shown.page !== page) {
    shown = { key, page, ...withNewest(shown, page) };
    setKept(shown);
  }
  const older = async () => {
    setBusy(true);
    setError(null);
    try {
      const before = shown.entries.at(-1)?.id;
      const next = await desk.ask('activity.list', { ...filter, ...(before !== undefined && { before }) });
      setKept((now) =>
        now.key === key ? { ...now, entries: [...now.entries, ...next.entries], more: next.more } : now,
      );
    } catch (problem) {
      setError(problem as Error);
    }
    setBusy(false);
  };
  return { newest, entries: shown.entries, more: shown.more, older, busy, error };
}
