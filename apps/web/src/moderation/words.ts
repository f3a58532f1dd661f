import { GROUP_TITLES } from '@svc/permissions';
import { spanText } from '@svc/text/quantity';
import type { Badge } from './badges.tsx';

export const REASONS: Readonly<Record<string, string>> = {
  'first-version': 'First version',
  'permissions-widened': GROUP_TITLES.widens,
  'publisher-unverified': 'Publisher not verified',
  carried: 'From another store',
  'flagged:face.changed': GROUP_TITLES.face,
  'flagged:tools.changed': GROUP_TITLES.instructions,
  'flagged:two-persons': 'Two persons must approve',
  'flagged:requires.id': 'Required app missing',
  'flagged:lookalike.name': 'Name looks like another',
  'flagged:lookalike.icon': 'Icon looks like another',
  'flagged:lookalike.id': 'Id looks like another',
  flagged: 'Flagged by a check',
};

/** What an approval has done, by the status that the version has then. */
export const approvalWords = (status: string): string =>
  status === 'in_review'
    ? 'One of two: recorded. The version stays in review until another person approves it too.'
    : `Decided: this version is ${status}.`;

/** Whether a version waits only because words that agents read changed. */
export const isOfWords = (reasons: readonly string[]): boolean =>
  reasons.length === 1 && reasons[0] === 'flagged:tools.changed';

export const REJECT_HINT =
  'The publisher reads the reason and the note. You cannot undo this: the publisher uploads a new version, or appeals, and another moderator decides.';
export const NOTE_TO_PUBLISHER = 'What the publisher must change';

/** The time until a review is due, or since it was. */
export const dueWords = (dueAt: string, now: number): string => {
  const remaining = Date.parse(dueAt) - now;
  return remaining >= 0 ? `due in ${spanText(remaining)}` : `overdue by ${spanText(-remaining)}`;
};

function reasonWords(reason: string): string {
  const [kind = '', code] = reason.split(/:(.*)/);
  return REASONS[reason] ?? (code === undefined ? reason : `${REASONS[kind] ?? kind}: ${code}`);
}

/** A reason as a badge: new permissions weigh most, then what a check flagged. */
export const reasonBadge = (reason: string): Badge => ({
  key: reason,
  look: reason === 'permissions-widened' ? 'bad' : reason.startsWith('flagged') ? 'mild' : '',
  text: reasonWords(reason),
});
