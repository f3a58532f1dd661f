import { z } from 'zod';
import { Issue } from '../issue.ts';
import { Note, Sha256, Timestamp } from './common.ts';
import { PermissionDiff } from './footprint.ts';

/** Where an uploaded version can stand. */
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

/** Why a person must look at a version before it is published. */
export const ReviewReason = z
  .string()
  .regex(/^(first-version|permissions-widened|publisher-unverified|flagged:[a-zA-Z0-9.-]+)$/);

/** Answer to an upload that was taken. */
export const PublishResult = z
  .object({
    appId: z.string(),
    version: z.string(),
    status: VersionState,
    reasons: z.array(ReviewReason).describe('Why a person must look; empty when it is published at once.'),
    issues: z.array(Issue).describe('Warnings found by the checks.'),
    permissionDiff: PermissionDiff,
    reviewUrl: z.url().describe('Where to see how the version fares.'),
  })
  .meta({ id: 'PublishResult' });
export type PublishResult = z.infer<typeof PublishResult>;

/** How an uploaded version fares. */
export const VersionStatus = z
  .object({
    appId: z.string(),
    version: z.string(),
    status: VersionState,
    issues: z.array(Issue),
    notes: z
      .string()
      .describe('What the reviewer wrote, or why the version was withdrawn or let back; empty when nothing.'),
  })
  .meta({ id: 'VersionStatus' });
export type VersionStatus = z.infer<typeof VersionStatus>;

/** A version that waits for a moderator. */
export const QueueEntry = z
  .object({
    appId: z.string(),
    version: z.string(),
    name: z.string(),
    publisher: z.string(),
    submittedAt: Timestamp,
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
  .object({ entries: z.array(QueueEntry), total: z.int() })
  .meta({ id: 'ModerationQueue' });
export type ModerationQueue = z.infer<typeof ModerationQueue>;

/** Body of an approval. */
export const Approval = z.strictObject({ note: Note.optional() }).meta({ id: 'Approval' });

/** Body of a rejection. */
export const Rejection = z
  .strictObject({ note: Note.describe('What the developer must change. Required.') })
  .meta({ id: 'Rejection' });

/** Body of a withdrawal of a published version. */
export const Yank = z
  .strictObject({ reason: Note.describe('Why; shown to users who have the app.') })
  .meta({ id: 'Yank' });

/** Body that takes a withdrawal back. */
export const Unyank = z
  .strictObject({ reason: Note.describe('Why; kept on record and shown with the status of the version.') })
  .meta({ id: 'Unyank' });
