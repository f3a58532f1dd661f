import { z } from 'zod';
import { Issue } from '../issue.ts';
import { Note, Timestamp } from './common.ts';
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

/** How far a version has come in the queue of those that wait for a person. */
export const ReviewPlace = z
  .object({
    position: z.int().min(1).describe('Place in the queue, from 1.'),
    of: z.int().min(1).describe('Versions in the queue.'),
    dueAt: Timestamp.describe('When the period for a review ends.'),
  })
  .meta({ id: 'ReviewPlace' });
export type ReviewPlace = z.infer<typeof ReviewPlace>;

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
    retracted: z
      .boolean()
      .optional()
      .describe(
        'Whether its publisher took it back; `status` is `rejected` then, as when a moderator refused it.',
      ),
    reasons: z.array(ReviewReason).optional().describe('While in review: why a person must look.'),
    review: ReviewPlace.optional().describe('While in review: how long it may take.'),
    changesRequestedAt: Timestamp.optional().describe(
      'Since when a moderator waits for an answer of the publisher to a request for changes; absent when none does.',
    ),
  })
  .meta({ id: 'VersionStatus' });
export type VersionStatus = z.infer<typeof VersionStatus>;

/** Body of a withdrawal of a published version. */
export const Yank = z
  .strictObject({ reason: Note.describe('Why; shown to users who have the app.') })
  .meta({ id: 'Yank' });

/** Body that takes a withdrawal back. */
export const Unyank = z
  .strictObject({ reason: Note.describe('Why; kept on record and shown with the status of the version.') })
  .meta({ id: 'Unyank' });
