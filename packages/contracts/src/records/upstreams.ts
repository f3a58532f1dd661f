import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { Category } from '../manifest/manifest.ts';
import { named } from '../named.ts';
import { STORE_GRANTS } from '../vocabulary.ts';
import { KeyId, Timestamp } from './common.ts';
import { PublicKeys } from './keys.ts';
import { VersionOrigin } from './origins.ts';

/** Which apps of an upstream are carried, and what a moderator reviews before they are published here. */
const Choices = {
  which: z
    .enum(['chosen', 'categories', 'verified', 'all'])
    .describe('Only `apps`; those of `categories`; those of publishers that the upstream verified; or all.'),
  apps: z
    .array(z.string().max(LIMITS.manifest.id))
    .max(2_000)
    .describe('Ids of apps that are carried in any case.'),
  categories: z.array(Category).max(20).describe('With `which: "categories"`.'),
  how: z
    .enum(['review', 'permissions', 'all'])
    .describe(
      'Each version waits for a moderator; only one that asks for more than `grants`; or only one that a check flags.',
    ),
  grants: z.array(z.enum(STORE_GRANTS)).max(20).describe('With `how: "permissions"`.'),
};

export const UpstreamChoices = named.strictObject('UpstreamChoices', Choices);
export type UpstreamChoices = z.infer<typeof UpstreamChoices>;

/** The address of a store. */
const Address = VersionOrigin.shape.store;

/** Query of a store that may become an upstream. */
export const UpstreamQuery = z.object({ address: Address });

/** A store that may become an upstream, as it answers now. */
export const UpstreamOffer = named.object('UpstreamOffer', {
  address: Address,
  ...PublicKeys.shape,
});
export type UpstreamOffer = z.infer<typeof UpstreamOffer>;

/** A new upstream. */
export const NewUpstream = named.strictObject('NewUpstream', {
  address: Address,
  keyId: KeyId.describe(
    'Id of the current key of the store, which the administrator compared: it is pinned.',
  ),
  choices: UpstreamChoices,
});
export type NewUpstream = z.infer<typeof NewUpstream>;

/** A change of an upstream. */
export const UpstreamChange = named.strictObject('UpstreamChange', {
  choices: UpstreamChoices.optional(),
  keyId: KeyId.optional().describe(
    'Pins the current key of the store again, by its id: only when its operator confirmed that the old one was lost.',
  ),
});
export type UpstreamChange = z.infer<typeof UpstreamChange>;

export const UpstreamParam = z.object({ upstream: z.string().max(16).describe('Id of the upstream.') });

/** Why nothing new comes from an upstream. */
export const UPSTREAM_FAILURES = ['unreachable', 'not-verified', 'rolled-back', 'forked', 'failed'] as const;

/** A store whose apps this store carries. */
export const Upstream = named.object('Upstream', {
  id: z.string(),
  address: Address,
  keyIds: z
    .array(KeyId)
    .describe('The trusted keys of the store, oldest first: the pinned one and its successors.'),
  choices: UpstreamChoices,
  addedAt: Timestamp,
  reachedAt: Timestamp.nullable().describe('When its lists last verified.'),
  failure: z
    .object({ code: z.enum(UPSTREAM_FAILURES), message: z.string(), since: Timestamp })
    .nullable()
    .describe('Why nothing new comes, and since when; null when it works.'),
  isStopped: z
    .boolean()
    .describe('Whether new installs of its apps have stopped, as it failed for too long.'),
  apps: z.object({
    carried: z.int().min(0),
    waiting: z.int().min(0).describe('Whose newest version waits for a moderator.'),
    refused: z.int().min(0).describe('That cannot be carried; the list of its apps says why.'),
    gone: z.int().min(0).describe('That it no longer has: new installs stopped.'),
  }),
  file: z
    .object({
      signerIds: z
        .array(KeyId)
        .describe(
          'The trusted keys of the store that makes its exports, oldest first; none where that is the upstream itself.',
        ),
      last: z
        .object({
          begunAt: Timestamp.describe('When the export began to read the upstream.'),
          importedAt: Timestamp.nullable().describe(
            'When its import was done; null for one that was interrupted.',
          ),
          missing: z.int().min(0).describe('Apps whose newest bundle was in no file.'),
        })
        .nullable()
        .describe('The last export; null before the first.'),
    })
    .nullable()
    .describe(
      'For one that is read from files alone (`svc-store upstream import`); null for one that is read over the network.',
    ),
});
export type Upstream = z.infer<typeof Upstream>;

export const Upstreams = named.object('Upstreams', { upstreams: z.array(Upstream) });

/** What became of an app of an upstream here. */
export const CARRIED_STATES = ['carried', 'waiting', 'refused', 'gone'] as const;

export const CarriedApp = named.object('CarriedApp', {
  appId: z.string(),
  version: z.string().describe('The last version that was looked at.'),
  state: z.enum(CARRIED_STATES).describe('`gone`: the upstream no longer has it, and new installs stopped.'),
  note: z.string().describe('Why it is refused or gone; else empty.'),
  checkedAt: Timestamp,
});
export type CarriedApp = z.infer<typeof CarriedApp>;

export const CarriedAppsQuery = z.object({
  after: z
    .string()
    .max(LIMITS.manifest.id)
    .optional()
    .describe('The id of the last app of the previous page.'),
});

export const CarriedApps = named.object('CarriedApps', {
  apps: z.array(CarriedApp).describe('By id; at most 100.'),
  next: z.string().nullable(),
});
export type CarriedApps = z.infer<typeof CarriedApps>;

export const UpstreamSearch = z.object({ q: z.string().max(200) });

/** Apps that an upstream lists, as it says: nothing of it is verified yet. */
export const UpstreamFound = named.object('UpstreamFound', {
  apps: z.array(
    z.object({
      appId: z.string(),
      name: z.string(),
      tagline: z.string(),
      publisher: z.string(),
      verified: z.boolean(),
      version: z.string(),
      grants: z.array(z.string()),
      state: z
        .enum([...CARRIED_STATES, 'own'])
        .nullable()
        .describe('What it is here; null for an app that is not carried.'),
    }),
  ),
});
export type UpstreamFound = z.infer<typeof UpstreamFound>;
