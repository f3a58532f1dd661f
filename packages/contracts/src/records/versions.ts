import { z } from 'zod';
import { Issue } from '../issue.ts';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { Note, RuleId, Sha256, Timestamp } from './common.ts';
import { PermissionDiff } from './footprint.ts';

/** The states of an uploaded version. */
export const VERSION_STATES = [
  'submitted',
  'checking',
  'in_review',
  'approved',
  'rejected',
  'published',
  'yanked',
] as const;
export const VersionState = z.enum(VERSION_STATES);
export type VersionState = z.infer<typeof VersionState>;

/** Why a moderator must review a version before it is published. */
export const ReviewReason = z
  .string()
  .regex(
    /^(publisher-confirmation|first-version|permissions-widened|publisher-unverified|carried|flagged:[a-zA-Z0-9.-]+)$/,
  );

/** Query of an upload. */
export const PublishQuery = z.object({
  confirm: z
    .literal('1')
    .optional()
    .describe('The version waits until a member of the publisher confirms it on its page.'),
  attestation: z.coerce
    .number()
    .int()
    .min(1)
    .max(LIMITS.attestation.bytes)
    .optional()
    .describe(
      'The body begins with an attestation of so many bytes, a Sigstore bundle v0.3 as JSON; the zip follows at once.',
    ),
});

/** Request body that confirms a version. */
export const Confirmation = named.strictObject('Confirmation', {
  sha256: Sha256.describe('The hash of the bundle that you looked at.'),
});

/** Response to an accepted upload. */
export const PublishResult = named.object('PublishResult', {
  appId: z.string(),
  version: z.string(),
  status: VersionState,
  reasons: z
    .array(ReviewReason)
    .describe('Why a moderator must review the version; empty when it is published without a review.'),
  issues: z.array(Issue).describe('Warnings found by the checks.'),
  permissionDiff: PermissionDiff,
  reviewUrl: z.url().describe('Page with the status of the version.'),
});
export type PublishResult = z.infer<typeof PublishResult>;

/** The place of a version in the review queue. */
export const ReviewPlace = named.object('ReviewPlace', {
  position: z.int().min(1).describe('Position in the queue, from 1.'),
  of: z.int().min(1).describe('Number of versions in the queue.'),
  dueAt: Timestamp.describe('When the review is due.'),
  expectedAt: Timestamp.optional().describe(
    'When it is probably decided, by how long half of the recent reviews took; absent while there are few, and once it has passed.',
  ),
});
export type ReviewPlace = z.infer<typeof ReviewPlace>;

const ReviewTimes = {
  decisions: z.int().min(0).describe('Decisions of moderators in the last 90 days.'),
  medianMs: z
    .int()
    .nullable()
    .describe('Half of them took at most so many milliseconds; null below 20 decisions.'),
  p90Ms: z
    .int()
    .nullable()
    .describe('Nine of ten took at most so many milliseconds; null below 20 decisions.'),
};

/** How long reviews take in this store. */
export const ReviewClock = named.object('ReviewClock', {
  waiting: z.int().min(0).describe('Versions in the queue.'),
  oldestAt: Timestamp.nullable().describe('When the one that waits longest was uploaded.'),
  ...ReviewTimes,
  reasons: z
    .array(z.object({ reason: ReviewReason, waiting: z.int().min(0), ...ReviewTimes }))
    .describe('The same by reason; a version may have several.'),
});
export type ReviewClock = z.infer<typeof ReviewClock>;

/** The status of an uploaded version. */
export const VersionStatus = named.object('VersionStatus', {
  appId: z.string(),
  version: z.string(),
  status: VersionState,
  issues: z.array(Issue),
  notes: z
    .string()
    .describe(
      'Note of the reviewer, or the reason why the version was yanked or unyanked; empty when there is none.',
    ),
  retracted: z
    .boolean()
    .optional()
    .describe(
      'Whether the publisher retracted it; `status` is `rejected`, as after a rejection by a moderator.',
    ),
  publishedAt: Timestamp.optional().describe('When it was published; also of one that was yanked since.'),
  reasons: z.array(ReviewReason).optional().describe('While in review: why a moderator must review it.'),
  review: ReviewPlace.optional().describe('While in review: its place in the queue.'),
  held: z
    .literal(true)
    .optional()
    .describe(
      'While in review: it is not in the queue, as its publisher, its app or the user who submitted it is suspended.',
    ),
  changesRequestedAt: Timestamp.optional().describe(
    'When the open request for changes was made; absent when there is none.',
  ),
});
export type VersionStatus = z.infer<typeof VersionStatus>;

/** Request body that yanks a published version. */
export const Yank = named.strictObject('Yank', {
  reason: Note.describe('The reason, for users who have the app.'),
  rule: RuleId.optional().describe('The rule of the policy that a moderator cites; `other` by default.'),
});

/** Request body that unyanks a version. */
export const Unyank = named.strictObject('Unyank', {
  reason: Note.describe('The reason, for the audit log and the status of the version.'),
});
