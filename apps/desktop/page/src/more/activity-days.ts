import { day } from '@svc/ui/text';
import type { ActivityPage } from '../../../src/wire/calls.ts';
import type { ActivityEntry } from '../../../src/wire/views.ts';

const DAY_MS = 24 * 60 * 60_000;

/** The entries of one day, in the user's time zone. */
export type Day<Entry = ActivityEntry> = { label: string; entries: readonly Entry[] };

function labelOf(at: string, now: Date): string {
  const date = new Date(at).toDateString();
  if (date === now.toDateString()) return 'Today';
  // Subtracting from noon is safe on days with 23 or 25 hours.
  const noon = new Date(now).setHours(12, 0, 0, 0);
  return date === new Date(noon - DAY_MS).toDateString() ? 'Yesterday' : day(at);
}

/** Groups entries, newest first, by day. */
export function daysOf<Entry extends { at: string }>(entries: readonly Entry[], now: Date): Day<Entry>[] {
  const days = Map.groupBy(entries, ({ at }) => labelOf(at, now));
  return [...days].map(([label, all]) => ({ label, entries: all }));
}

/** The shown entries: the newest page and the older ones that the user loaded. */
export type ShownActivity = { entries: readonly ActivityEntry[]; more: boolean };

/**
 * Merges a new newest page into the shown entries. Entries never change, so older pages are not fetched again. Entries that were
 * cleared, or that follow a gap, are dropped.
 */
export function withNewest(shown: ShownActivity, { entries, more, apps }: ActivityPage): ShownActivity {
  const oldest = entries.at(-1);
  const [newestShown] = shown.entries;
  const isGap = oldest === undefined || newestShown === undefined || newestShown.id < oldest.id;
  if (!more || isGap) return { entries, more };
  const older = shown.entries.filter(({ id, appId }) => id < oldest.id && apps.includes(appId));
  return { entries: [...entries, ...older], more: older.length > 0 ? shown.more : more };
}
