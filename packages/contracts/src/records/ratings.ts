import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { InstallId, Note, pageSize, Timestamp } from './common.ts';
import { refuseHiddenInLines } from './plain-text.ts';

const { stars, title, body, reply, flagNote, defaultPage, maxPage } = LIMITS.ratings;

/** Plain text that users write for other users; never rendered as markup. */
const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength * 2)
    .transform((written) => written.replace(/\r\n?/g, '\n').trim())
    .pipe(z.string().max(maxLength).superRefine(refuseHiddenInLines));

const line = (maxLength: number) =>
  text(maxLength).refine((written) => !/[\n\t]/.test(written), { error: 'must be a single line' });

/** Text with at least one letter, digit, punctuation mark or symbol. */
const visibleText = (maxLength: number) =>
  text(maxLength).refine((written) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(written), {
    error: 'must not be empty',
  });

const Stars = z.int().min(1).max(stars);

/** The ratings of an app, without hidden reviews and reviews of suspended users. */
const RatingSummary = z.object({
  average: z.number().min(0).max(stars).describe('0 when there are no ratings.'),
  count: z.int().min(0),
  histogram: z
    .object({
      1: z.int().min(0),
      2: z.int().min(0),
      3: z.int().min(0),
      4: z.int().min(0),
      5: z.int().min(0),
    })
    .describe('Number of ratings for each number of stars.'),
});

/** The reply of a publisher. */
const Reply = z.object({ body: z.string(), createdAt: Timestamp, updatedAt: Timestamp });

const ReviewFields = z.object({
  id: z.string(),
  rating: Stars,
  title: z.string(),
  body: z.string().describe('Plain text, untrusted: do not render it as markup.'),
  version: z.string().describe('The version that the author had installed.'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  reply: Reply.optional(),
});

const Author = z.object({ name: z.string() });

/** A review of an app. */
export const AppReview = ReviewFields.extend({ author: Author }).meta({ id: 'AppReview' });
export type AppReview = z.infer<typeof AppReview>;

const paging = {
  limit: pageSize(maxPage, defaultPage, 'Reviews per page'),
  cursor: z.string().max(200).optional().describe('`nextCursor` of the previous page.'),
};

/** Query of the reviews that wait for a moderator. */
export const FlaggedQuery = z.object(paging);
export type FlaggedQuery = z.infer<typeof FlaggedQuery>;

/** The orders of reviews; the newest come first among equal ratings. */
export const ReviewOrder = z.enum(['newest', 'highest', 'lowest']);
export type ReviewOrder = z.infer<typeof ReviewOrder>;

/** Query of the reviews of an app. */
export const ReviewsQuery = z.object({
  ...paging,
  id: z.string().max(100).optional().describe('Only this review; none where it is not public.'),
  sort: ReviewOrder.default('newest').describe(
    'Highest or lowest rating first; `newest` by default. A cursor goes on in its own order.',
  ),
});
export type ReviewsQuery = z.infer<typeof ReviewsQuery>;

/** The ratings of an app, and a page of its reviews. */
export const AppReviews = named.object('AppReviews', {
  rating: RatingSummary,
  reviews: z
    .array(AppReview)
    .describe('By `createdAt` where `sort` leaves it open: an edit of the text does not move a review.'),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
});
export type AppReviews = z.infer<typeof AppReviews>;

/** Request body that writes or edits a review. */
export const NewReview = named.strictObject('NewReview', {
  rating: Stars,
  title: line(title).optional(),
  body: text(body).optional(),
  installId: InstallId.optional().describe(
    'The install id with which a client downloaded the app. The header `X-Svc-Install-Id` is an alternative. Neither is needed for an app that you have already reviewed.',
  ),
});
export type NewReview = z.infer<typeof NewReview>;

/** A review, for its author. */
const OwnReview = ReviewFields.extend({
  hidden: z
    .boolean()
    .describe(
      'Whether a moderator hid it, or has to look at it first. An edit of a hidden one submits it for review again.',
    ),
  note: z.string().optional().describe('Note of the moderator.'),
});

/** The caller’s review of an app, and whether the caller may write one. */
export const MyReview = named.object('MyReview', {
  review: OwnReview.nullable().describe('Null when there is none.'),
  installed: z
    .boolean()
    .describe('Whether the store knows an installation of yours, so that `installId` is not needed.'),
});
export type MyReview = z.infer<typeof MyReview>;

/** Request body that replies to a review. */
export const NewReply = named.strictObject('NewReply', { body: visibleText(reply) });
export type NewReply = z.infer<typeof NewReply>;

/** Reasons to flag a review. */
export const FLAG_REASONS = ['spam', 'abuse', 'off-topic', 'privacy', 'other'] as const;
const FlagReason = z.enum(FLAG_REASONS);
export type FlagReason = z.infer<typeof FlagReason>;

/** Request body that flags a review. */
export const NewFlag = named.strictObject('NewFlag', { reason: FlagReason, note: text(flagNote).optional() });
export type NewFlag = z.infer<typeof NewFlag>;

/** Response to a flag. */
export const FlagTaken = named.object('FlagTaken', {
  flagged: z.literal(true).describe('A moderator will check the review.'),
});
export type FlagTaken = z.infer<typeof FlagTaken>;

/** A flag of a review. */
const Flag = z.object({
  reason: FlagReason,
  note: z.string(),
  by: z.string().describe('`person:<id>`, as in the audit log.'),
  name: z.string().nullable().describe('Current name; null when the account was deleted.'),
  byPublisher: z.boolean().describe('Whether the user is a member of the publisher of the app.'),
  at: Timestamp,
});

/** A review, for moderators. */
export const ModeratedReview = ReviewFields.extend({
  appId: z.string(),
  appName: z.string().describe('Name in the newest upload; the id when there is none.'),
  author: Author.extend({ id: z.string() }),
  hidden: z.boolean(),
  note: z.string().describe('Note of the last decision; empty when there was none.'),
  waitingSince: Timestamp.nullable().describe(
    'Time of the first flag or edit since the last decision; null when there was none.',
  ),
  flags: z.array(Flag).describe('The first twenty flags since the last decision.'),
}).meta({ id: 'ModeratedReview' });
export type ModeratedReview = z.infer<typeof ModeratedReview>;

/** A page of the reviews that need a decision. */
export const FlaggedReviews = named.object('FlaggedReviews', {
  reviews: z.array(ModeratedReview).describe('Oldest first, by `waitingSince`.'),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
});
export type FlaggedReviews = z.infer<typeof FlaggedReviews>;

/** Request body that hides a review. */
export const Hiding = named.strictObject('Hiding', { note: Note.describe('The reason, for the author.') });
export type Hiding = z.infer<typeof Hiding>;

/** Request body that keeps a review, or shows it again. */
export const Keeping = named.strictObject('Keeping', { note: Note.optional() });
export type Keeping = z.infer<typeof Keeping>;
