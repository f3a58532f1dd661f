import { type AppReview, LIMITS, type ModeratedReview, type MyReview } from '@svc/contracts';
import { cleanLine } from '@svc/text';
import { personName } from '../../domain/identity/caller.ts';
import type { Flag } from './flag-store.ts';
import type { Rating } from './rating-store.ts';

/** The public form of a name, without hidden characters, which older names may contain. */
const publicName = (name: string): string => cleanLine(name, LIMITS.people.name);

const fieldsOf = ({ id, stars, title, body, version, createdAt, updatedAt, reply }: Rating) => ({
  id,
  rating: stars,
  title,
  body,
  version,
  createdAt,
  updatedAt,
  ...(reply && { reply }),
});

export const presentReview = (rating: Rating): AppReview => ({
  ...fieldsOf(rating),
  author: { name: publicName(rating.author.name) },
});

/** A review as its author sees it. */
export const presentOwn = (rating: Rating): NonNullable<MyReview['review']> => ({
  ...fieldsOf(rating),
  hidden: rating.hidden,
  ...(rating.hidden && { note: rating.note }),
});

const presentFlag = ({ reason, note, personId, byPublisher, at }: Flag, names: Names) => ({
  reason,
  note,
  by: personName(personId),
  name: names[personName(personId)] ?? null,
  byPublisher,
  at,
});

/** Current names of persons, by their names on record. */
type Names = Readonly<Record<string, string>>;

/** A review as moderators see it. */
export const presentModerated = (
  rating: Rating,
  flags: readonly Flag[],
  names: Names = {},
): ModeratedReview => ({
  ...fieldsOf(rating),
  appId: rating.appId,
  author: { id: rating.author.id, name: publicName(rating.author.name) },
  hidden: rating.hidden,
  note: rating.note,
  waitingSince: rating.waitingSince,
  flags: flags.map((flag) => presentFlag(flag, names)),
});
