import { z } from 'zod';
import { Issue } from '../issue.ts';
import { LIMITS } from '../limits.ts';
import { AppVersion, Sha256, Timestamp } from './common.ts';
import { PermissionDiff } from './footprint.ts';
import { VersionMove } from './moderation.ts';
import { ReviewPlace, ReviewReason, VERSION_STATES, VersionState } from './versions.ts';

const { defaultPage, maxPage } = LIMITS.ownApps;

/** Which page of a list that members of a publisher read. */
export const OwnPageQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(maxPage)
    .default(defaultPage)
    .describe(`Entries a page; ${defaultPage} when left out.`),
  cursor: z.string().max(1_000).optional().describe('`nextCursor` of the page before.'),
});
export type OwnPageQuery = z.infer<typeof OwnPageQuery>;

const NextCursor = z.string().nullable().describe('Cursor of the next page; null on the last.');

/** An app as those see it who act for its publisher. */
export const OwnApp = z
  .object({
    appId: z.string(),
    name: z.string().describe('Of the newest upload.'),
    suspended: z.boolean(),
    createdAt: Timestamp,
    iconUrl: z.url().nullable().describe('Of the listed version; null when none is listed.'),
    newest: z
      .object({ version: z.string(), status: VersionState, submittedAt: Timestamp })
      .describe('The newest upload, whatever became of it.'),
    counts: z
      .object(Object.fromEntries(VERSION_STATES.map((state) => [state, z.int().min(0)])) as StateCounts)
      .describe('How many versions stand where.'),
    listed: z
      .object({
        version: z.string(),
        publishedAt: Timestamp,
        installs: z.int().min(0),
        rating: z.object({ average: z.number().min(0).max(5), count: z.int().min(0) }),
      })
      .nullable()
      .describe('What the catalogue says of it; null when nothing of it is published.'),
  })
  .meta({ id: 'OwnApp' });
export type OwnApp = z.infer<typeof OwnApp>;

type StateCounts = Record<VersionState, z.ZodInt>;

/** The apps of a publisher, by their ids. */
export const OwnApps = z.object({ apps: z.array(OwnApp), nextCursor: NextCursor }).meta({ id: 'OwnApps' });
export type OwnApps = z.infer<typeof OwnApps>;

/** An uploaded version, in short. */
export const OwnVersion = z
  .object({
    version: z.string(),
    status: VersionState,
    submittedAt: Timestamp,
    publishedAt: Timestamp.nullable(),
    sha256: Sha256,
    size: z.int().describe('Bytes of the zip.'),
    reasons: z.array(ReviewReason).describe('Why a person had to look; empty when nobody had to.'),
    notes: z.string().describe('What was said with its last step; empty when nothing.'),
    retracted: z.boolean().describe('Whether its publisher took it back.'),
  })
  .meta({ id: 'OwnVersion' });
export type OwnVersion = z.infer<typeof OwnVersion>;

/** The versions of an app, the newest upload first. */
export const OwnVersions = z
  .object({ versions: z.array(OwnVersion), nextCursor: NextCursor })
  .meta({ id: 'OwnVersions' });
export type OwnVersions = z.infer<typeof OwnVersions>;

/** All about an uploaded version. Who decided about it is not told: a decision is the store's. */
export const OwnVersionDetail = OwnVersion.extend({
  appId: z.string(),
  issues: z.array(Issue).describe('Warnings found by the checks.'),
  permissionDiff: PermissionDiff.describe('To the latest version that was published when it was checked.'),
  moves: z.array(VersionMove.omit({ by: true })).describe('Its way so far, oldest first.'),
  review: ReviewPlace.nullable().describe('How long the review may take; null when it waits for none.'),
  changesRequestedAt: Timestamp.nullable().describe(
    'Since when a moderator waits for an answer to a request for changes; null while none does.',
  ),
  changelog: z.string(),
}).meta({ id: 'OwnVersionDetail' });
export type OwnVersionDetail = z.infer<typeof OwnVersionDetail>;

/** Which two versions to compare. */
export const Comparison = z.object({
  from: AppVersion.describe('The version to begin at.'),
  to: AppVersion.describe('The version to end at.'),
});
