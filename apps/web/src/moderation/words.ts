import { GROUP_TITLES } from '@svc/permissions';

export const REASONS: Readonly<Record<string, string>> = {
  'first-version': 'First version',
  'permissions-widened': GROUP_TITLES.widens,
  'publisher-unverified': 'Publisher not verified',
  'flagged:face.changed': GROUP_TITLES.face,
  'flagged:tools.changed': GROUP_TITLES.instructions,
  'flagged:requires.id': 'Required app missing',
  flagged: 'Flagged by a check',
};

export const REJECT_HINT =
  'The publisher reads the reason and the note. You cannot undo this: the publisher uploads a new version, or appeals, and another moderator decides.';
export const NOTE_TO_PUBLISHER = 'What the publisher must change';

/** `1 version`, `1,200 versions`. */
export const versionsText = (count: number): string =>
  count === 1 ? '1 version' : `${count.toLocaleString('en')} versions`;

const UNITS = [
  { ms: 86_400_000, word: 'day' },
  { ms: 3_600_000, word: 'hour' },
  { ms: 60_000, word: 'minute' },
] as const;

/** A span of time in its largest unit: "3 days". */
export function span(ms: number): string {
  const unit = UNITS.find((candidate) => ms >= candidate.ms);
  if (!unit) return 'under a minute';
  const count = Math.floor(ms / unit.ms);
  return `${count} ${unit.word}${count === 1 ? '' : 's'}`;
}

/** The time until a review is due, or since it was. */
export const dueWords = (dueAt: string, now: number): string => {
  const remaining = Date.parse(dueAt) - now;
  return remaining >= 0 ? `due in ${span(remaining)}` : `overdue by ${span(-remaining)}`;
};

export function reasonWords(reason: string): string {
  const [kind = '', code] = reason.split(/:(.*)/);
  return REASONS[reason] ?? (code === undefined ? reason : `${REASONS[kind] ?? kind}: ${code}`);
}
