import type { ActivityEntry, ActivityPage } from '../../../src/wire/views.ts';
import { day } from '../parts/figures.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.activity;

const DAY_MS = 24 * 60 * 60_000;

/** The entries of one day of where the reader is. */
export type Day = { label: string; entries: readonly ActivityEntry[] };

function labelOf(at: string, now: Date): string {
  const date = new Date(at).toDateString();
  if (date === now.toDateString()) return MESSAGES.today;
  // Noon of a day is within the day before, also where a day has 23 or 25 hours.
  const noon = new Date(now).setHours(12, 0, 0, 0);
  return date === new Date(noon - DAY_MS).toDateString() ? MESSAGES.yesterday : day(at);
}

/** Entries, newest first, by their days. */
export function daysOf(entries: readonly ActivityEntry[], now: Date): Day[] {
  const days = Map.groupBy(entries, ({ at }) => labelOf(at, now));
  return [...days].map(([label, all]) => ({ label, entries: all }));
}

/** What is shown of the record: its newest page and the older ones that were asked for. */
export type Seen = { entries: readonly ActivityEntry[]; more: boolean };

/**
 * What is shown when the newest page is another. An entry never changes, so that older pages are not asked for again; those that are gone
 * from the record, or behind a gap, are left out.
 */
export function withNewest(seen: Seen, { entries, more, apps }: ActivityPage): Seen {
  const oldest = entries.at(-1);
  const [newestSeen] = seen.entries;
  const isGap = oldest === undefined || newestSeen === undefined || newestSeen.id < oldest.id;
  if (!more || isGap) return { entries, more };
  const older = seen.entries.filter(({ id, appId }) => id < oldest.id && apps.includes(appId));
  return { entries: [...entries, ...older], more: older.length > 0 ? seen.more : more };
}
