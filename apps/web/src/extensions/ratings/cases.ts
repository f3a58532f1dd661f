import type { ModeratedReview } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { read } from '../../account/api.ts';
import type { Waiting } from '../../moderation/cases.ts';
import { iconOf } from '../../moderation/version-path.ts';

export const FLAG_WORDS = {
  spam: 'Spam',
  abuse: 'Abuse',
  'off-topic': 'Not about the app',
  privacy: 'Privacy',
  other: 'Other',
} as const;

/** Whether a review was never shown: it waits as many new accounts reviewed its app. A moderator who hides one gives a note. */
export const isHeld = ({ hidden, note }: Pick<ModeratedReview, 'hidden' | 'note'>): boolean =>
  hidden && note === '';

/** Reported reviews, for the inbox. */
export async function readFlagged(): Promise<Waiting> {
  const { reviews, nextCursor } = await read(apiRequest('GET /api/moderation/reviews'));
  const cases = reviews.map((review) => ({
    of: { kind: 'review' as const, subject: review.id },
    href: `/moderation/reviews#${review.id}`,
    icon: iconOf(review),
    name: review.title === '' ? 'Review without a title' : review.title,
    about: `${visible(review.author.name)} about ${visible(review.appName)} ${visible(review.version)}`,
    badges: [
      ...(review.hidden
        ? [{ key: 'hidden', look: 'mild', text: isHeld(review) ? 'Held' : 'Hidden, edited since' }]
        : []),
      ...[...new Set(review.flags.map(({ reason }) => reason))].map((reason) => ({
        key: reason,
        look: '',
        text: FLAG_WORDS[reason],
      })),
    ],
    since: review.waitingSince ?? review.updatedAt,
    dueAt: null,
    assignedTo: null,
  }));
  return { cases, total: cases.length, isMore: nextCursor !== null };
}
