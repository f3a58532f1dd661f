import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { HttpsUrl } from '../manifest/parts.ts';
import { named } from '../named.ts';
import {
  AppId,
  Direction,
  Note,
  PublisherSlug,
  pageSize,
  RuleId,
  Suspension,
  Timestamp,
  VerifiedHost,
} from './common.ts';
import { refuseUnreadableName } from './plain-text.ts';
import { VersionState } from './versions.ts';

/** Name of a publisher. */
export const PublisherName = z.string().trim().min(1).max(80).superRefine(refuseUnreadableName);

/** A publisher, for administrators. */
export const Publisher = named.object('Publisher', {
  slug: PublisherSlug,
  name: z.string(),
  website: z.string().optional(),
  verified: z.boolean(),
  verifiedHost: VerifiedHost,
  suspended: z.boolean(),
  suspension: Suspension.optional(),
  createdAt: Timestamp,
  origin: z
    .string()
    .optional()
    .describe('Address of the store whose publisher it stands for; absent for one of this store.'),
});
export type Publisher = z.infer<typeof Publisher>;

/** What a publisher has stored in the store, and how much it may. */
export const PublisherStorage = named.object('PublisherStorage', {
  usedBytes: z
    .int()
    .min(0)
    .describe(
      'Bundles of all its versions in any state, and their pictures, those of each version on their own.',
    ),
  limitBytes: z.int().min(0).nullable().describe('Null without a limit.'),
  isOwn: z.boolean().describe('Whether an administrator chose the limit for this publisher.'),
});
export type PublisherStorage = z.infer<typeof PublisherStorage>;

/** The most that an administrator can choose, in MiB: 1 PiB. */
const MAX_STORAGE_MIB = 2 ** 30;

const StorageMiB = z
  .int()
  .min(0)
  .max(MAX_STORAGE_MIB)
  .nullable()
  .optional()
  .describe('How much it may store, in MiB; null for `publisherStorageMiB` of the policy of the store.');

const CitedRule = RuleId.optional().describe(
  'The rule of the policy that a suspension cites; `other` by default.',
);

const MAX_A_PAGE = 100;
const MAX_EMAIL = 254;

const YesOrNo = z.enum(['true', 'false']).transform((word) => word === 'true');

/** Query parameters of the lists for administrators. */
const listQuery = (fields: string) => ({
  q: z.string().trim().max(80).optional().describe(`Part of ${fields}.`),
  suspended: YesOrNo.optional(),
  limit: pageSize(MAX_A_PAGE, MAX_A_PAGE, 'Page size'),
  cursor: z.string().max(400).optional().describe('`nextCursor` of the previous page.'),
});

const nextCursor = z.string().nullable().describe('Null on the last page.');

/** Query of the publishers; all conditions must match. */
export const PublisherQuery = z.object({
  ...listQuery('the slug or the name'),
  slug: PublisherSlug.optional().describe('Only this publisher.'),
  verified: YesOrNo.optional(),
  sort: z
    .enum(['slug', 'name', 'created'])
    .default('slug')
    .describe('By slug, by name, or by creation time.'),
  direction: Direction.default('asc'),
});
export type PublisherQuery = z.infer<typeof PublisherQuery>;

/** A page of publishers, in the requested order. */
export const PublisherPage = named.object('PublisherPage', {
  publishers: z.array(
    Publisher.extend({
      apps: z.number().int().describe('Number of its apps, published or not.'),
      installs: z.number().int().describe('Installs of its listed apps.'),
      storage: PublisherStorage,
    }).meta({ id: 'SizedPublisher' }),
  ),
  nextCursor,
});
export type PublisherPage = z.infer<typeof PublisherPage>;

/** A new name that a verified publisher requests. */
const NameRequest = z.object({
  publisher: Publisher.describe('The publisher with its current name.'),
  name: z.string().describe('The requested name.'),
  askedBy: z.string().describe('Id of the user who requested it.'),
  askedAt: Timestamp,
});

/** Query of the pending name requests. */
export const NameRequestQuery = z.object({
  limit: pageSize(MAX_A_PAGE, MAX_A_PAGE, 'Page size'),
  cursor: z.string().max(400).optional().describe('`nextCursor` of the previous page.'),
});

/** A page of pending name requests, sorted by publisher slug. */
export const NameRequestPage = named.object('NameRequestPage', {
  requests: z.array(NameRequest),
  nextCursor,
});
export type NameRequestPage = z.infer<typeof NameRequestPage>;

const decidedName = z
  .string()
  .max(80)
  .describe(
    'The requested name. The decision fails when the publisher has requested another name in the meantime.',
  );

/** Request body that approves the new name of a publisher. */
export const NameApproval = named.strictObject('NameApproval', { name: decidedName });

/** Request body that refuses the new name of a publisher. */
export const NameRefusal = named.strictObject('NameRefusal', {
  name: decidedName,
  note: Note.describe('The reason, for the members of the publisher.'),
});

/** Request body that creates a publisher. */
export const NewPublisher = named.strictObject('NewPublisher', {
  slug: PublisherSlug,
  name: PublisherName,
  website: HttpsUrl.optional(),
  verified: z.boolean().optional(),
  owner: z
    .union([z.literal('me'), z.email().max(MAX_EMAIL).toLowerCase()])
    .optional()
    .describe(
      'Its first owner: `me`, or the email address of a user. A publisher without members cannot publish.',
    ),
});
export type NewPublisher = z.infer<typeof NewPublisher>;

const SuspensionReason = Note.optional().describe(
  'Why it is suspended, or why the suspension ends. Users must give a reason to suspend.',
);

/** Request body that verifies or suspends a publisher. */
export const PublisherChange = z
  .strictObject({
    verified: z.boolean().optional(),
    suspended: z.boolean().optional(),
    storageMiB: StorageMiB,
    reason: SuspensionReason,
    rule: CitedRule,
  })
  .refine(
    (change) => [change.verified, change.suspended, change.storageMiB].some((one) => one !== undefined),
    {
      error: 'Give at least one of `verified`, `suspended` and `storageMiB`.',
    },
  )
  .meta({ id: 'PublisherChange' });
export type PublisherChange = z.infer<typeof PublisherChange>;

/** Request body that says what a publisher shall be, for tools that send it again and again. */
export const PublisherState = named.strictObject('PublisherState', {
  name: PublisherName.describe('Of a new publisher. An existing one keeps the name that its owners chose.'),
  website: HttpsUrl.optional().describe('Of a new publisher.'),
  verified: z.boolean().optional(),
  suspended: z.boolean().optional(),
  storageMiB: StorageMiB,
  reason: SuspensionReason,
  rule: CitedRule,
});
export type PublisherState = z.infer<typeof PublisherState>;

/** Request body that suspends or restores an app. */
export const AppChange = named.strictObject('AppChange', {
  suspended: z.boolean(),
  reason: SuspensionReason,
  rule: CitedRule,
});
export type AppChange = z.infer<typeof AppChange>;

/** An app, for administrators. */
export const AppRecord = named.object('AppRecord', {
  appId: z.string(),
  publisher: PublisherSlug,
  suspended: z.boolean(),
  suspension: Suspension.optional(),
});
export type AppRecord = z.infer<typeof AppRecord>;

/** Where an app is in the catalogue. An app has one of these: the first that holds, from the last to the first. */
export const CATALOG_STATES = ['listed', 'delisted', 'unpublished', 'held', 'suspended'] as const;

const CatalogState = z.enum(CATALOG_STATES);
export type CatalogState = z.infer<typeof CatalogState>;

/** Query of the apps; all conditions must match. */
export const AppQuery = z.object({
  ...listQuery('the id, of the name in the newest upload, or of the slug of the publisher'),
  appId: z.string().max(200).optional().describe('Only this app.'),
  publisher: PublisherSlug.optional(),
  state: CatalogState.optional().describe('Only apps in this state in the catalogue.'),
  sort: z
    .enum(['id', 'publisher', 'created'])
    .default('id')
    .describe('By id, by the slug of the publisher, or by the time of the first upload.'),
  direction: Direction.default('asc'),
});
export type AppQuery = z.infer<typeof AppQuery>;

/** A page of apps. */
export const AppRecords = named.object('AppRecords', {
  apps: z.array(
    AppRecord.extend({
      name: z.string().describe('Name in the newest upload; the id when there is none.'),
      publisherName: z.string(),
      state: CatalogState.describe(
        '`listed`: in lists and searches. `delisted`: only by its link. `unpublished`: no published version, or all yanked. `held`: no new installs, as the store that it comes from fails. `suspended`: it or its publisher is.',
      ),
      createdAt: Timestamp.describe('Time of the first upload.'),
      newest: z
        .object({ version: z.string(), status: VersionState })
        .nullable()
        .describe('The newest upload; null when there is none.'),
      versions: z.number().int().describe('Number of uploaded versions.'),
      installs: z.number().int().describe('0 when it is not listed.'),
    }).meta({
      id: 'NamedApp',
    }),
  ),
  nextCursor,
});
export type AppRecords = z.infer<typeof AppRecords>;

/** The apps of the featured row, in its order. */
export const FeaturedApps = named.object('FeaturedApps', {
  apps: z.array(
    named.object('FeaturedApp', {
      appId: z.string(),
      name: z.string().describe('Name in the newest upload.'),
      publisher: z.string().describe('Name of the publisher.'),
      version: z
        .string()
        .nullable()
        .describe(
          'The version that the row shows; null for an app that it hides: a suspended one, or one without a published version.',
        ),
    }),
  ),
});
export type FeaturedApps = z.infer<typeof FeaturedApps>;

const appIds = z.array(AppId.max(LIMITS.manifest.id)).max(LIMITS.catalog.featured);

/** Request body that sets the featured row. */
export const FeaturedChange = named.strictObject('FeaturedChange', {
  apps: appIds
    .refine((ids) => new Set(ids).size === ids.length, { error: 'must not contain an app twice' })
    .describe('App ids in their order; an empty list removes the row.'),
  from: appIds
    .optional()
    .describe(
      'The ids as you last read them. The change fails with `already_handled` when they have changed since.',
    ),
});
export type FeaturedChange = z.infer<typeof FeaturedChange>;
