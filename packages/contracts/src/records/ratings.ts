import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { InstallId, Note, Timestamp } from './common.ts';
import { refuseHiddenInLines } from './plain-text.ts';

const { stars, title, body, reply, flagNote, defaultPage, maxPage } = LIMITS.ratings;

/** Text that people write for others to read: no markup is made of it here. */
const text = (most: number) =>
  z
    .string()
    .max(most * 2)
    .transform((written) => written.replace(/\r\n?/g, '\n').trim())
    .pipe(z.string().max(most).superRefine(refuseHiddenInLines));

const line = (most: number) =>
  text(most).refine((written) => !/[\n\t]/.test(written), { error: 'must be one line' });

/** Text in which there is something to read. */
const said = (most: number) =>
  text(most).refine((written) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(written), { error: 'must say something' });

const Stars = z.int().min(1).max(stars);

/** How an app is rated. Reviews that moderators hid and those of people who are suspended are not in it. */
const RatingSummary = z.object({
  average: z.number().min(0).max(stars).describe('0 without a rating.'),
  count: z.int().min(0),
  histogram: z
    .object({
      1: z.int().min(0),
      2: z.int().min(0),
      3: z.int().min(0),
      4: z.int().min(0),
      5: z.int().min(0),
    })
    .describe('How many gave how many stars.'),
});

/** What a publisher answers. */
const Reply = z.object({ body: z.string(), createdAt: Timestamp, updatedAt: Timestamp });

const ReviewFields = z.object({
  id: z.string(),
  rating: Stars,
  title: z.string(),
  body: z.string().describe('Plain text, as it was written.'),
  version: z.string().describe('The version that the writer had installed.'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  reply: Reply.optional(),
});

const Author = z.object({ name: z.string() });

/** What a person says of an app. */
export const AppReview = ReviewFields.extend({ author: Author }).meta({ id: 'AppReview' });
export type AppReview = z.infer<typeof AppReview>;

const paging = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(maxPage)
    .default(defaultPage)
    .describe(`Reviews a page; ${defaultPage} when left out.`),
  cursor: z.string().max(200).optional().describe('`nextCursor` of the page before.'),
};

/** Which reviews of an app. */
export const ReviewsQuery = z.object(paging);
export type ReviewsQuery = z.infer<typeof ReviewsQuery>;

/** How an app is rated, and a page of what is said of it. */
export const AppReviews = z
  .object({
    rating: RatingSummary,
    reviews: z.array(AppReview).describe('Those that were written last come first; an edit moves none.'),
    nextCursor: z.string().nullable().describe('Null on the last page.'),
  })
  .meta({ id: 'AppReviews' });
export type AppReviews = z.infer<typeof AppReviews>;

/** Body that writes or edits a review. */
export const NewReview = z
  .strictObject({
    rating: Stars,
    title: line(title).optional(),
    body: text(body).optional(),
    installId: InstallId.optional().describe(
      'Of an installation of the app: the id under which its bundle was fetched. The header `X-Svc-Install-Id` does as well, and neither is needed again for an app that you have reviewed.',
    ),
  })
  .meta({ id: 'NewReview' });
export type NewReview = z.infer<typeof NewReview>;

/** A review as its writer sees it. */
const OwnReview = ReviewFields.extend({
  hidden: z.boolean().describe('Whether a moderator hid it. To edit it asks for another look.'),
  note: z.string().optional().describe('What the moderator said.'),
});

/** What you say of an app, and whether you may. */
export const MyReview = z
  .object({
    review: OwnReview.nullable().describe('Null when there is none.'),
    installed: z
      .boolean()
      .describe('Whether the store knows an installation of yours, so that none need be named.'),
  })
  .meta({ id: 'MyReview' });
export type MyReview = z.infer<typeof MyReview>;

/** Body that answers a review. */
export const NewReply = z.strictObject({ body: said(reply) }).meta({ id: 'NewReply' });
export type NewReply = z.infer<typeof NewReply>;

/** Why a moderator should look. */
export const FLAG_REASONS = ['spam', 'abuse', 'off-topic', 'privacy', 'other'] as const;
const FlagReason = z.enum(FLAG_REASONS);
export type FlagReason = z.infer<typeof FlagReason>;

/** Body that asks moderators to look at a review. */
export const NewFlag = z
  .strictObject({ reason: FlagReason, note: text(flagNote).optional() })
  .meta({ id: 'NewFlag' });
export type NewFlag = z.infer<typeof NewFlag>;

/** What became of a flag. */
export const FlagTaken = z
  .object({ flagged: z.literal(true).describe('It waits for a moderator.') })
  .meta({ id: 'FlagTaken' });
export type FlagTaken = z.infer<typeof FlagTaken>;

/** Who thinks that a moderator should look, and why. */
const Flag = z.object({
  reason: FlagReason,
  note: z.string(),
  by: z.string().describe('`person:<id>`, as in the audit log.'),
  name: z.string().nullable().describe('What they are called now; null when the account is gone.'),
  byPublisher: z.boolean().describe('Whether they act for the publisher of the app.'),
  at: Timestamp,
});

/** A review as moderators see it. */
export const ModeratedReview = ReviewFields.extend({
  appId: z.string(),
  author: Author.extend({ id: z.string() }),
  hidden: z.boolean(),
  note: z.string().describe('Of the last decision; empty when there was none.'),
  waitingSince: Timestamp.nullable().describe('Null when nobody asked for a look since the last decision.'),
  flags: z.array(Flag).describe('Since the last decision: the first twenty.'),
}).meta({ id: 'ModeratedReview' });
export type ModeratedReview = z.infer<typeof ModeratedReview>;

/** A page of the reviews that wait for a moderator. */
export const FlaggedReviews = z
  .object({
    reviews: z.array(ModeratedReview).describe('Those that wait longest come first.'),
    nextCursor: z.string().nullable().describe('Null on the last page.'),
  })
  .meta({ id: 'FlaggedReviews' });
export type FlaggedReviews = z.infer<typeof FlaggedReviews>;

/** Body that hides a review. */
export const Hiding = z
  .strictObject({ note: Note.describe('Why; the writer reads it.') })
  .meta({ id: 'Hiding' });
export type Hiding = z.infer<typeof Hiding>;

/** Body that keeps a review, or shows it again. */
export const Keeping = z.strictObject({ note: Note.optional() }).meta({ id: 'Keeping' });
export type Keeping = z.infer<typeof Keeping>;
