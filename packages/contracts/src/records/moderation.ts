import { z } from 'zod';
import { Issue } from '../issue.ts';
import { LIMITS } from '../limits.ts';
import { Publisher } from './admin.ts';
import { Note, PublisherSlug, Sha256, Timestamp } from './common.ts';
import { Footprint, PermissionDiff } from './footprint.ts';
import { ReviewPlace, ReviewReason, VersionState } from './versions.ts';

/** Who looks at a version just now. */
export const ReviewLock = z
  .object({
    by: z.string(),
    name: z.string().optional().describe('What the holder is called; with a refusal.'),
    until: Timestamp.describe('When it ends, unless its holder renews it.'),
  })
  .meta({ id: 'ReviewLock' });
export type ReviewLock = z.infer<typeof ReviewLock>;

/** Whether a person looks at a version, as it stands after locking or unlocking it. */
export const LockState = z
  .object({ appId: z.string(), version: z.string(), lock: ReviewLock.nullable() })
  .meta({ id: 'LockState' });
export type LockState = z.infer<typeof LockState>;

/** Names one page that is open in a browser, so that closing it ends no other lock. */
const PageName = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .optional();

/** Body of a lock. */
export const LockRequest = z
  .strictObject({ page: PageName.describe('32 random hex digits of the page that takes it.') })
  .meta({ id: 'LockRequest' });
export type LockRequest = z.infer<typeof LockRequest>;

/** Query of an unlock. */
export const UnlockQuery = z.object({
  page: PageName.describe('Only the lock that this page took: what a page asks when it closes.'),
});
export type UnlockQuery = z.infer<typeof UnlockQuery>;

const AssignedTo = z
  .string()
  .nullable()
  .describe('The moderator who should look at it, by the name on record; null when none is named.');

/** Body of an assignment. */
export const AssignmentRequest = z
  .strictObject({
    to: z.string().max(200).nullable().describe('`by` of a moderator; null leaves it to all.'),
    from: z
      .string()
      .max(200)
      .nullable()
      .optional()
      .describe('To whom it is assigned as far as you know: refused when that has changed.'),
  })
  .meta({ id: 'AssignmentRequest' });
export type AssignmentRequest = z.infer<typeof AssignmentRequest>;

/** To whom a version is assigned. */
export const Assignment = z
  .object({ appId: z.string(), version: z.string(), assignedTo: AssignedTo })
  .meta({ id: 'Assignment' });
export type Assignment = z.infer<typeof Assignment>;

const ChangesRequestedAt = Timestamp.nullable().describe(
  'Since when a request for changes waits for an answer of the publisher; null while none does.',
);

const YesOrNo = z.enum(['true', 'false']).transform((word) => word === 'true');

/** Query of the queue: what is left out does not narrow it. */
export const QueueQuery = z.object({
  reason: z
    .string()
    .regex(/^(first-version|permissions-widened|publisher-unverified|flagged(:[a-zA-Z0-9.-]+)?)$/)
    .optional()
    .describe(
      'One reason, such as `first-version` or `flagged:bundle.obfuscated`; `flagged` is any of those.',
    ),
  publisher: PublisherSlug.optional(),
  appId: z.string().min(1).max(LIMITS.manifest.id).optional(),
  lockedBy: z.enum(['me', 'others', 'nobody']).optional().describe('Who holds a lock that has not run out.'),
  assigned: z.enum(['me', 'others', 'nobody']).optional().describe('To whom it is assigned.'),
  overdue: YesOrNo.optional().describe('Whether the due date has passed.'),
  changesRequested: YesOrNo.optional().describe('Whether it waits for an answer of its publisher.'),
  superseded: YesOrNo.optional().describe('Whether a newer upload of the same app exists.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(LIMITS.moderation.maxPage)
    .optional()
    .describe('Versions a page; 100 when left out.'),
  cursor: z.string().max(1_000).optional().describe('`nextCursor` of the page before.'),
});
export type QueueQuery = z.infer<typeof QueueQuery>;

/** A version that waits for a moderator. */
export const QueueEntry = z
  .object({
    appId: z.string(),
    version: z.string(),
    name: z.string(),
    publisher: z.string(),
    submittedAt: Timestamp,
    dueAt: Timestamp.describe('When the period for a review ends.'),
    position: z.int().min(1).describe('Place in the whole queue, whatever the query leaves out.'),
    lock: ReviewLock.nullable().describe('Who looks at it just now.'),
    changesRequestedAt: ChangesRequestedAt,
    assignedTo: AssignedTo,
    reasons: z.array(ReviewReason),
    superseded: z.boolean().describe('A newer upload of the same app exists.'),
    issues: z.array(Issue),
    permissionDiff: PermissionDiff,
    sha256: Sha256,
    size: z.int(),
  })
  .meta({ id: 'QueueEntry' });
export type QueueEntry = z.infer<typeof QueueEntry>;

/** The versions that wait, oldest first, superseded ones last. */
export const ModerationQueue = z
  .object({
    entries: z.array(QueueEntry),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last.'),
    total: z.int().describe('Versions that match, over all pages.'),
  })
  .meta({ id: 'ModerationQueue' });
export type ModerationQueue = z.infer<typeof ModerationQueue>;

const Override = z.boolean().optional().describe('Decide although another moderator holds the lock.');

/** Body of an approval. */
export const Approval = z
  .strictObject({ note: Note.optional(), override: Override })
  .meta({ id: 'Approval' });
export type Approval = z.infer<typeof Approval>;

/** Body of a rejection. */
export const Rejection = z
  .strictObject({
    note: Note.optional().describe('What the developer must change. Required without a `reason`.'),
    reason: z
      .string()
      .optional()
      .describe('Id of a canned reason, whose text goes ahead of the note to the developer.'),
    override: Override,
  })
  .refine(({ note, reason }) => note !== undefined || reason !== undefined, {
    path: ['note'],
    error: 'Say what the developer must change: give a note, or the id of a canned reason.',
  })
  .meta({ id: 'Rejection' });
export type Rejection = z.infer<typeof Rejection>;

/** Moderators who may decide about versions, by the names that locks and decisions carry. */
export const Moderators = z
  .object({ moderators: z.array(z.object({ by: z.string(), name: z.string() })) })
  .meta({ id: 'Moderators' });
export type Moderators = z.infer<typeof Moderators>;

/** A reason for a rejection that is ready to be given. */
export const CannedReason = z
  .object({
    id: z
      .string()
      .max(LIMITS.moderation.reasonId)
      .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
      .describe('Lower-case words joined by hyphens.'),
    title: z.string().trim().min(1).max(LIMITS.moderation.reasonTitle).describe('What moderators choose by.'),
    text: Note.describe('What the developer reads.'),
  })
  .meta({ id: 'CannedReason' });
export type CannedReason = z.infer<typeof CannedReason>;

/** All canned reasons. */
export const CannedReasons = z.object({ reasons: z.array(CannedReason) }).meta({ id: 'CannedReasons' });
export type CannedReasons = z.infer<typeof CannedReasons>;

/** A step of a version from one state to the next. */
export const VersionMove = z
  .object({
    from: VersionState,
    to: VersionState,
    by: z.string(),
    at: Timestamp,
    note: z.string().describe('What was said with it; empty when nothing.'),
  })
  .meta({ id: 'VersionMove' });
export type VersionMove = z.infer<typeof VersionMove>;

/** What a person decided about a version. */
export const PastDecision = z
  .object({ appId: z.string(), version: z.string(), ...VersionMove.shape })
  .meta({ id: 'PastDecision' });
export type PastDecision = z.infer<typeof PastDecision>;

/** What a version says of itself. */
export const ManifestSummary = z
  .object({
    name: z.string(),
    description: z.string(),
    permissions: z.array(z.string()),
    categories: z.array(z.string()),
    homepage: z.string().nullable(),
    support: z.string().nullable(),
    author: z.string().nullable(),
    icon: z.string().describe('Path of the icon in the bundle.'),
    mark: z.string().nullable(),
    tools: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
    panels: z.array(z.object({ id: z.string(), title: z.string() })),
  })
  .meta({ id: 'ManifestSummary' });
export type ManifestSummary = z.infer<typeof ManifestSummary>;

/** All that a reviewer needs of one version. */
export const Review = z
  .object({
    appId: z.string(),
    version: z.string(),
    status: VersionState,
    submittedAt: Timestamp,
    submittedBy: z.string(),
    sha256: Sha256,
    size: z.int(),
    publisher: Publisher,
    reasons: z.array(ReviewReason),
    notes: z.string(),
    issues: z.array(Issue),
    permissionDiff: PermissionDiff,
    manifest: ManifestSummary,
    reach: Footprint,
    base: z
      .object({ version: z.string(), status: VersionState, manifest: ManifestSummary, reach: Footprint })
      .nullable()
      .describe('The version that the difference is to; null for a first one.'),
    current: z
      .object({
        version: z.string(),
        manifest: ManifestSummary,
        reach: Footprint,
        permissionDiff: PermissionDiff,
      })
      .nullable()
      .describe(
        'The latest published version and the difference to it, while this one waits and another than `base` is it: what users consented to changed after the check.',
      ),
    pictures: z.array(z.string()).describe('Paths of the pictures that `…/files/` serves.'),
    review: z
      .object({
        ...ReviewPlace.shape,
        superseded: z.boolean(),
        lock: ReviewLock.nullable(),
        changesRequestedAt: ChangesRequestedAt,
        assignedTo: AssignedTo,
      })
      .nullable()
      .describe('How it stands in the queue; null when it does not wait.'),
    conflict: z
      .enum(['uploader', 'member'])
      .nullable()
      .describe('Why the policy does not let you approve it: you uploaded it, or act for its publisher.'),
    moves: z.array(VersionMove).describe('Of this version, oldest first.'),
    decisions: z
      .object({ app: z.array(PastDecision), publisher: z.array(PastDecision) })
      .describe('On other versions of this app, and of this publisher: the latest of each, newest first.'),
    names: z
      .record(z.string(), z.string())
      .describe(
        'What those who uploaded, moved and decided are called now, by `person:<id>` and `publisher:<slug>`; accounts that are gone are left out.',
      ),
    bundleUrl: z.url().describe('The zip under review; it needs the same role.'),
    readme: z.string(),
    changelog: z.string(),
  })
  .meta({ id: 'Review' });
export type Review = z.infer<typeof Review>;
