import { z } from 'zod';
import { Issue } from '../issue.ts';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { AppVersion, PublisherSlug, pageSize, Sha256, Timestamp } from './common.ts';
import { PermissionDiff } from './footprint.ts';
import { VersionMove } from './moderation.ts';
import { refuseHiddenInLines } from './plain-text.ts';
import { VersionAttestation, VersionSource } from './trusted-publishing.ts';
import { ReviewPlace, ReviewReason, VERSION_STATES, VersionState } from './versions.ts';

const { defaultPage, maxPage } = LIMITS.ownApps;

/** Query of a list for members of a publisher. */
export const OwnPageQuery = z.object({
  limit: pageSize(maxPage, defaultPage, 'Entries per page'),
  cursor: z.string().max(1_000).optional().describe('`nextCursor` of the previous page.'),
});
export type OwnPageQuery = z.infer<typeof OwnPageQuery>;

const NextCursor = z.string().nullable().describe('Cursor of the next page; null on the last.');

/** An app, for members of its publisher. */
export const OwnApp = named.object('OwnApp', {
  appId: z.string(),
  name: z.string().describe('Name in the newest upload.'),
  suspended: z.boolean(),
  createdAt: Timestamp,
  iconUrl: z.url().nullable().describe('Icon of the listed version; null when none is listed.'),
  newest: z
    .object({
      version: z.string(),
      status: VersionState,
      submittedAt: Timestamp,
      needsYou: z
        .boolean()
        .describe(
          'Whether it goes on only when a member of the publisher acts: rejected, changes requested, or to confirm.',
        ),
    })
    .describe('The newest upload, in any state.'),
  counts: z
    .object(Object.fromEntries(VERSION_STATES.map((state) => [state, z.int().min(0)])) as StateCounts)
    .describe('Number of versions in each state.'),
  listed: z
    .object({
      version: z.string(),
      publishedAt: Timestamp,
      installs: z.int().min(0),
      rating: z.object({ average: z.number().min(0).max(5), count: z.int().min(0) }),
    })
    .nullable()
    .describe('The listing in the catalogue; null when no version is published.'),
  recent: z.array(z.int().min(0)).describe('Installs on each of the last 30 days, in UTC, the oldest first.'),
});
export type OwnApp = z.infer<typeof OwnApp>;

type StateCounts = Record<VersionState, z.ZodInt>;

/** A page of the apps of a publisher, sorted by id. */
export const OwnApps = named.object('OwnApps', { apps: z.array(OwnApp), nextCursor: NextCursor });
export type OwnApps = z.infer<typeof OwnApps>;

/** Why something should not be used any more. */
const DeprecationNote = z.string().trim().min(1).max(LIMITS.note).superRefine(refuseHiddenInLines);

/** Why an app should not be used any more, and what replaces it. */
export const Deprecation = named.object('Deprecation', {
  note: DeprecationNote,
  replacement: z.string().max(200).optional().describe('Id of an app of this store.'),
});
export type Deprecation = z.infer<typeof Deprecation>;

/** Whether lists show an app, and whether it is deprecated. */
export const AppState = named.strictObject('AppState', {
  delisted: z.boolean().describe('Leaves it out of lists and searches. Its page, versions and updates stay.'),
  deprecation: Deprecation.nullable(),
});
export type AppState = z.infer<typeof AppState>;

/** Request body that deprecates a version; null ends that. */
export const VersionDeprecation = named.strictObject('VersionDeprecation', {
  note: DeprecationNote.nullable(),
});
export type VersionDeprecation = z.infer<typeof VersionDeprecation>;

/** Request body that deposits the account with which the store lists the tools of a server that needs a sign-in. */
export const ReviewerToken = named.strictObject('ReviewerToken', {
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,4096}$/, 'The token is 1 to 4096 characters of printable ASCII without spaces.')
    .describe('A bearer token of a user of the server. No response contains it.'),
});

/** A deposited reviewer account, without its token. */
export const ReviewerAccount = named.object('ReviewerAccount', {
  host: z.string().describe('The host of the server. The token is sent to no other one.'),
  by: z.string(),
  at: Timestamp,
});

/** The reviewer account of an app, after a change of it. */
export const ReviewerAccountState = named.object('ReviewerAccountState', {
  reviewerAccount: ReviewerAccount.nullable(),
});
export type ReviewerAccountState = z.infer<typeof ReviewerAccountState>;

/** The life of an app, for its publisher. */
export const OwnAppLife = named.object('OwnAppLife', {
  ...AppState.shape,
  deprecated: z.record(z.string(), z.string()).describe('Notes of deprecated versions, by version.'),
  offer: z.object({ to: z.string(), by: z.string(), at: Timestamp }).nullable(),
  reviewerAccount: ReviewerAccount.nullable(),
  deletable: z.boolean().describe('Whether no user has installed, rated or reported it.'),
});
export type OwnAppLife = z.infer<typeof OwnAppLife>;

/** Request body that offers an app to another publisher; null takes the offer back. */
export const AppOffer = named.strictObject('AppOffer', { to: PublisherSlug.nullable() });
export type AppOffer = z.infer<typeof AppOffer>;

/** The apps that other publishers offer. */
export const AppOffers = named.object('AppOffers', {
  offers: z.array(z.object({ appId: z.string(), name: z.string(), from: z.string(), at: Timestamp })),
});
export type AppOffers = z.infer<typeof AppOffers>;

/** Request body that accepts or refuses an offered app. */
export const OfferAnswer = named.strictObject('OfferAnswer', { accept: z.boolean() });
export type OfferAnswer = z.infer<typeof OfferAnswer>;

/** Request body that gives an app to another publisher. */
export const AppReassignment = named.strictObject('AppReassignment', {
  publisher: PublisherSlug,
  reason: DeprecationNote,
});
export type AppReassignment = z.infer<typeof AppReassignment>;

/** An app that moved to a publisher, stayed with one, or was deleted. */
export const AppMoved = named.object('AppMoved', { appId: z.string(), publisher: z.string().nullable() });
export type AppMoved = z.infer<typeof AppMoved>;

/** A publisher that was deleted. */
export const PublisherDeleted = named.object('PublisherDeleted', { slug: z.string() });
export type PublisherDeleted = z.infer<typeof PublisherDeleted>;

/** Summary of an uploaded version. */
export const OwnVersion = named.object('OwnVersion', {
  version: z.string(),
  status: VersionState,
  submittedAt: Timestamp,
  publishedAt: Timestamp.nullable(),
  sha256: Sha256,
  size: z.int().describe('Size of the zip in bytes.'),
  reasons: z
    .array(ReviewReason)
    .describe('Why the version was reviewed by a moderator; empty when it was not.'),
  notes: z.string().describe('Note of the last transition; empty when there is none.'),
  retracted: z.boolean().describe('Whether the publisher retracted it.'),
});
export type OwnVersion = z.infer<typeof OwnVersion>;

/** A page of the versions of an app, newest upload first. */
export const OwnVersions = named.object('OwnVersions', {
  versions: z.array(OwnVersion),
  nextCursor: NextCursor,
});
export type OwnVersions = z.infer<typeof OwnVersions>;

/** An uploaded version with its findings and its history. It does not name the moderator: a decision is the store's. */
export const OwnVersionDetail = OwnVersion.extend({
  appId: z.string(),
  issues: z.array(Issue).describe('Warnings found by the checks.'),
  permissionDiff: PermissionDiff.describe(
    'Difference from the version that was the latest published one when this version was checked.',
  ),
  moves: z.array(VersionMove.omit({ by: true })).describe('Transitions so far, oldest first.'),
  review: ReviewPlace.nullable().describe('Its place in the queue; null when it is not in review.'),
  changesRequestedAt: Timestamp.nullable().describe(
    'When the open request for changes was made; null when there is none.',
  ),
  changelog: z.string(),
  changelogHtml: z.string().describe('The part of the changelog about this version, as HTML.'),
  source: VersionSource.nullable().describe('The CI job that uploaded it; null when none did.'),
  attestation: VersionAttestation.nullable().describe(
    'The CI job that built it, as its attestation proves; null when it has none.',
  ),
}).meta({ id: 'OwnVersionDetail' });
export type OwnVersionDetail = z.infer<typeof OwnVersionDetail>;

/** Query of a comparison of two versions. */
export const Comparison = z.object({
  from: AppVersion.describe('The older version.'),
  to: AppVersion.describe('The newer version.'),
});
