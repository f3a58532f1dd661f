import { useState } from 'react';
import type { ActivityFilter, ActivityPage } from '../../../src/wire/views.ts';
import { useDesktopClient, useDesktopQuery } from '../wire/use-desktop.ts';
import { type ShownActivity, withNewest } from './activity-days.ts';

type Shown = ShownActivity & { key: string; page: ActivityPage | undefined };

const EMPTY: Shown = { key: '', page: undefined, entries: [], more: false };

/** The activity log: its newest page, kept up to date, and older pages on demand. */
export function useActivity(filter: ActivityFilter) {
  const desktop = useDesktopClient();
  const key = JSON.stringify(filter);
  const newest = useDesktopQuery('activity.list', filter);
  const [stored, setStored] = useState<Shown>(EMPTY);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const page = newest.data;
  let shown = stored.key === key ? stored : EMPTY;
  if (page !== undefined && shown.page !== page) {
    shown = { key, page, ...withNewest(shown, page) };
    setStored(shown);
  }
  const older = async () => {
    setBusy(true);
    setError(null);
    try {
      const before = shown.entries.at(-1)?.id;
      const next = await desktop.request('activity.list', {
        ...filter,
        ...(before !== undefined && { before }),
      });
      setStored((now) =>
        now.key === key ? { ...now, entries: [...now.entries, ...next.entries], more: next.more } : now,
      );
    } catch (cause) {
      setError(cause as Error);
    }
    setBusy(false);
  };
  return { newest, entries: shown.entries, more: shown.more, older, busy, error };
}
