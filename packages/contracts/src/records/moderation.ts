import { z } from 'zod';
import { Issue } from '../issue.ts';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { Publisher } from './admin.ts';
import { Note, optionalPageSize, PublisherSlug, RuleId, Sha256, Timestamp } from './common.ts';
import { Footprint, PermissionDiff } from './footprint.ts';
import { CarriedOrigin } from './origins.ts';
import { ServedTools } from './served-tools.ts';
import { VersionAttestation, VersionSource } from './trusted-publishing.ts';
import { ReviewPlace, ReviewReason, VersionState } from './versions.ts';

/** The lock of the moderator who reviews a version. */
export const ReviewLock = named.object('ReviewLock', {
  by: z.string(),
  name: z.string().optional().describe('Name of the holder; only in errors.'),
  until: Timestamp.describe('When the lock expires unless the holder renews it.'),
});
export type ReviewLock = z.infer<typeof ReviewLock>;

/** The lock of a version after locking or unlocking it. */
export const LockState = named.object('LockState', {
  appId: z.string(),
  version: z.string(),
  lock: ReviewLock.nullable(),
});
export type LockState = z.infer<typeof LockState>;

/** Id of an open page in a browser, so that closing the page releases only its own lock. */
const PageName = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .optional();

/** Request body of a lock. */
export const LockRequest = named.strictObject('LockRequest', {
  page: PageName.describe('Id of the page that takes the lock: 32 random hex digits.'),
});
export type LockRequest = z.infer<typeof LockRequest>;

/** Query of an unlock. */
export const UnlockQuery = z.object({
  page: PageName.describe('Releases the lock only if this page took it; for a page that closes.'),
});
export type UnlockQuery = z.infer<typeof UnlockQuery>;

export const AssignedTo = z
  .string()
  .nullable()
  .describe('The assigned moderator, as `person:<id>`; null when none is assigned.');

/** Request body of an assignment. */
export const AssignmentRequest = named.strictObject('AssignmentRequest', {
  to: z.string().max(200).nullable().describe('`by` of a moderator; null for none.'),
  from: z
    .string()
    .max(200)
    .nullable()
    .optional()
    .describe(
      'The assignment as you last read it. The request fails with `already_handled` when it has changed since.',
    ),
});
export type AssignmentRequest = z.infer<typeof AssignmentRequest>;

/** The assigned moderator of a version. */
export const Assignment = named.object('Assignment', {
  appId: z.string(),
  version: z.string(),
  assignedTo: AssignedTo,
});
export type Assignment = z.infer<typeof Assignment>;

const ChangesRequestedAt = Timestamp.nullable().describe(
  'When the open request for changes was made; null when there is none.',
);

const YesOrNo = z.enum(['true', 'false']).transform((word) => word === 'true');

/** Query of the review queue; all given conditions must match. */
export const QueueQuery = z.object({
  reason: z
    .string()
    .regex(
      /^(publisher-confirmation|first-version|permissions-widened|publisher-unverified|carried|flagged(:[a-zA-Z0-9.-]+)?)$/,
    )
    .optional()
    .describe(
      'A review reason, such as `first-version` or `flagged:bundle.obfuscated`; `flagged` matches every flag.',
    ),
  soleReason: YesOrNo.optional().describe(
    'Whether `reason` is the only reason: with `flagged:tools.changed`, only words for agents change.',
  ),
  publisher: PublisherSlug.optional(),
  appId: z.string().min(1).max(LIMITS.manifest.id).optional(),
  lockedBy: z.enum(['me', 'others', 'nobody']).optional().describe('Who holds an unexpired lock.'),
  assigned: z.enum(['me', 'others', 'nobody']).optional().describe('Who is assigned.'),
  overdue: YesOrNo.optional().describe('Whether the due date has passed.'),
  changesRequested: YesOrNo.optional().describe('Whether a request for changes is open.'),
  superseded: YesOrNo.optional().describe('Whether a newer upload of the same app exists.'),
  limit: optionalPageSize(LIMITS.moderation.maxPage, 'Versions per page; 100 by default.'),
  cursor: z.string().max(1_000).optional().describe('`nextCursor` of the previous page.'),
});
export type QueueQuery = z.infer<typeof QueueQuery>;

/** A version in review. */
export const QueueEntry = named.object('QueueEntry', {
  appId: z.string(),
  version: z.string(),
  name: z.string(),
  publisher: z.string(),
  submittedAt: Timestamp,
  dueAt: Timestamp.describe('When the review is due.'),
  position: z.int().min(1).describe('Position in the whole queue, independent of the query.'),
  lock: ReviewLock.nullable().describe('The current lock; null when there is none.'),
  changesRequestedAt: ChangesRequestedAt,
  assignedTo: AssignedTo,
  reasons: z.array(ReviewReason),
  superseded: z.boolean().describe('A newer upload of the same app exists.'),
  issues: z.array(Issue),
  permissionDiff: PermissionDiff,
  sha256: Sha256,
  size: z.int(),
});
export type QueueEntry = z.infer<typeof QueueEntry>;

/** A page of the versions in review: oldest first, superseded ones last. */
export const ModerationQueue = named.object('ModerationQueue', {
  entries: z.array(QueueEntry),
  nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last.'),
  total: z.int().describe('Number of matches on all pages.'),
});
export type ModerationQueue = z.infer<typeof ModerationQueue>;

const Override = z.boolean().optional().describe('Decides even if another moderator holds the lock.');

/** Request body of an approval. */
export const Approval = named.strictObject('Approval', {
  note: Note.optional(),
  override: Override,
  toolsRecordedAt: Timestamp.nullable()
    .optional()
    .describe(
      'The `served.recordedAt` that you saw; null when you saw no tools. Tools that were recorded since are not approved. Without it, those that are recorded now are.',
    ),
});
export type Approval = z.infer<typeof Approval>;

/** Request body of a rejection. */
export const Rejection = z
  .strictObject({
    note: Note.optional().describe('What the developer must change. Required without a `reason`.'),
    reason: z.string().optional().describe('Id of a canned reason. Its text is put before the note.'),
    rule: RuleId.optional().describe(
      'The rule of the policy that the decision cites; by default that of the reason, else `other`.',
    ),
    override: Override,
  })
  .refine(({ note, reason }) => note !== undefined || reason !== undefined, {
    path: ['note'],
    error: 'Give a `note`, a `reason` or both: the developer must know what to change.',
  })
  .meta({ id: 'Rejection' });
export type Rejection = z.infer<typeof Rejection>;

/** The moderators of the store; `by` is their id in locks and decisions. */
export const Moderators = named.object('Moderators', {
  moderators: z.array(z.object({ by: z.string(), name: z.string() })),
});
export type Moderators = z.infer<typeof Moderators>;

/** A canned reason for a rejection. */
export const CannedReason = named.object('CannedReason', {
  id: RuleId,
  title: z.string().trim().min(1).max(LIMITS.moderation.reasonTitle).describe('Title, for moderators.'),
  text: Note.describe('Text, for the developer.'),
  rule: RuleId.optional().describe('The rule of the policy that it cites; `other` by default.'),
});
export type CannedReason = z.infer<typeof CannedReason>;

/** All canned reasons. */
export const CannedReasons = named.object('CannedReasons', { reasons: z.array(CannedReason) });
export type CannedReasons = z.infer<typeof CannedReasons>;

/** A transition of a version from one state to another. */
export const VersionMove = named.object('VersionMove', {
  from: VersionState,
  to: VersionState,
  by: z.string(),
  at: Timestamp,
  note: z.string().describe('The note of the transition; empty when there is none.'),
  first: z.string().optional().describe('Who approved first, where two persons decided: `by` is the second.'),
});
export type VersionMove = z.infer<typeof VersionMove>;

/** An earlier decision about a version. */
export const PastDecision = named.object('PastDecision', {
  appId: z.string(),
  version: z.string(),
  ...VersionMove.shape,
});
export type PastDecision = z.infer<typeof PastDecision>;

/** An app that a version under review looks like, and by what. */
export const LookAlike = named.object('LookAlike', {
  appId: z.string(),
  version: z.string(),
  name: z.string(),
  publisher: z.string(),
  by: z.array(z.enum(['name', 'icon', 'id'])),
  stopped: z.boolean().describe('Whether it is suspended, or all its versions are yanked.'),
});
export type LookAlike = z.infer<typeof LookAlike>;

/** The parts of a manifest that a reviewer reads. */
export const ManifestSummary = named.object('ManifestSummary', {
  name: z.string(),
  description: z.string(),
  permissions: z.array(z.string()),
  categories: z.array(z.string()),
  homepage: z.string().nullable(),
  support: z.string().nullable(),
  author: z.string().nullable(),
  icon: z.string().describe('Path of the icon in the bundle.'),
  mark: z.string().nullable(),
  screenshots: z.array(z.string()).describe('Paths of the screenshots in the bundle.'),
  tools: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
  panels: z.array(z.object({ id: z.string(), title: z.string() })),
});
export type ManifestSummary = z.infer<typeof ManifestSummary>;

/** Everything that a reviewer needs to decide about a version. */
export const Review = named.object('Review', {
  appId: z.string(),
  version: z.string(),
  status: VersionState,
  submittedAt: Timestamp,
  submittedBy: z.string(),
  sha256: Sha256,
  size: z.int(),
  publisher: Publisher,
  record: z
    .object({ approved: z.int(), rejected: z.int(), yanked: z.int() })
    .describe('How often versions of this publisher were approved, rejected and yanked.'),
  people: z
    .object({
      publishers: z
        .array(z.string())
        .describe(
          'All that its members, and the user who uploaded it, are members of or ever uploaded for; at most 100.',
        ),
      approved: z.int(),
      rejected: z.int(),
      yanked: z.int(),
      stopped: z
        .array(z.object({ publisher: z.string(), appId: z.string().nullable() }))
        .describe('Of these, what is suspended now or was stopped in an emergency; at most 100.'),
    })
    .describe('The record of the people behind the publisher, under any publisher.'),
  reasons: z.array(ReviewReason),
  notes: z.string(),
  issues: z.array(Issue),
  alike: z
    .array(LookAlike)
    .describe(
      'Apps of other publishers, also stopped ones, with a name, an icon or an end of the id that looks like its own.',
    ),
  permissionDiff: PermissionDiff,
  manifest: ManifestSummary,
  reach: Footprint,
  base: z
    .object({
      version: z.string(),
      status: VersionState,
      manifest: ManifestSummary,
      reach: Footprint,
      source: VersionSource.nullable(),
      attestation: VersionAttestation.nullable(),
    })
    .nullable()
    .describe('The version that `permissionDiff` compares with; null for a first version.'),
  current: z
    .object({
      version: z.string(),
      manifest: ManifestSummary,
      reach: Footprint,
      permissionDiff: PermissionDiff,
    })
    .nullable()
    .describe(
      'The latest published version and the difference from it, when it was published after this version was checked and is not `base`; otherwise null.',
    ),
  source: VersionSource.nullable().describe('The CI job that uploaded it; null when none did.'),
  attestation: VersionAttestation.nullable().describe(
    'The CI job that built it, as its attestation proves; null when it has none.',
  ),
  origin: CarriedOrigin.nullable().describe('The store that it comes from; null when it was uploaded here.'),
  served: ServedTools.nullable().describe('What the server has; null when it has not been listed.'),
  pictures: z.array(z.string()).describe('Paths of the pictures under `…/files/`.'),
  review: z
    .object({
      ...ReviewPlace.shape,
      superseded: z.boolean(),
      lock: ReviewLock.nullable(),
      changesRequestedAt: ChangesRequestedAt,
      assignedTo: AssignedTo,
    })
    .nullable()
    .describe('Its place in the queue; null when it is not in review.'),
  conflict: z
    .enum(['uploader', 'member'])
    .nullable()
    .describe(
      'Why the policy does not allow you to approve it: you uploaded it, or you are a member of its publisher.',
    ),
  twoPersons: z
    .object({
      first: z
        .object({
          by: z.string(),
          act: z
            .enum(['approve', 'unyank', 'tools'])
            .describe(
              'What they approved: the version, the end of its yank, or the changed tools of its server.',
            ),
        })
        .nullable()
        .describe('Who approved first; null while no user has.'),
    })
    .nullable()
    .describe('Set when the policy demands two persons: the second approval decides.'),
  moves: z.array(VersionMove).describe('Transitions of this version, oldest first.'),
  decisions: z
    .object({ app: z.array(PastDecision), publisher: z.array(PastDecision) })
    .describe('The latest decisions about other versions of this app and of this publisher, newest first.'),
  names: z
    .record(z.string(), z.string())
    .describe('Current names by `person:<id>` and `publisher:<slug>`. Deleted accounts have no name.'),
  bundleUrl: z.url().describe('URL of the zip under review; needs the role of a moderator.'),
  readme: z.string(),
  changelog: z.string(),
  readmeHtml: z.string().describe('The README as users will see it, without active content.'),
  changelogHtml: z.string(),
});
export type Review = z.infer<typeof Review>;
