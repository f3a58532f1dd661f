import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { Category } from '../manifest/manifest.ts';
import { named } from '../named.ts';
import { KeyId, optionalPageSize, PublisherSlug, Sha256, Signature, Timestamp } from './common.ts';
import { VersionOrigin } from './origins.ts';
import { Deprecation } from './own-apps.ts';
import { ServedTool, ServerStatus } from './served-tools.ts';
import { VersionAttestation, VersionSource } from './trusted-publishing.ts';

/** An https URL, or an empty string when there is none: an entry always has all keys. */
const UrlOrNone = z.union([z.url(), z.literal('')]);

/** A publisher, for everyone. */
export const PublisherSummary = named.object('PublisherSummary', {
  slug: PublisherSlug,
  name: z.string(),
  verified: z.boolean(),
  verifiedHost: z.string().optional().describe('Host of the verified website; empty when there is none.'),
  website: z.string().describe('Empty when the publisher has none.'),
});
export type PublisherSummary = z.infer<typeof PublisherSummary>;

/** One app in a list. */
export const CatalogEntry = named.object('CatalogEntry', {
  appId: z.string(),
  name: z.string(),
  tagline: z.string().max(LIMITS.catalog.tagline).describe('First sentence of the description.'),
  description: z.string(),
  categories: z.array(Category),
  publisher: PublisherSummary,
  version: z.string().describe('Latest published version.'),
  publishedAt: Timestamp,
  iconUrl: z.url(),
  markUrl: UrlOrNone.describe('Empty when the app has none.'),
  accent: z.string().describe('`#RRGGBB`; empty when the app has none.'),
  screenshots: z.array(z.url()),
  permissions: z.array(z.string()),
  grants: z.array(z.string()),
  domains: z.array(z.string()),
  accounts: z.array(
    z.object({ id: z.string(), label: z.string(), scopes: z.array(z.string()), required: z.boolean() }),
  ),
  tools: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
  installs: z.int().min(0),
  rating: z.object({ average: z.number().min(0).max(5), count: z.int().min(0) }),
  homepage: z.string().describe('Empty when the app has none.'),
  support: z.string().describe('An https or `mailto:` URL; empty when the app has none.'),
  reviewed: z
    .boolean()
    .optional()
    .describe(
      'Whether a moderator reviewed the listed version before it was published. `false`: the checks found no reason to. Older stores do not send it.',
    ),
  size: z.int().describe('Size of the latest bundle in bytes.'),
  origin: VersionOrigin.pick({ store: true, publisher: true })
    .optional()
    .describe('The store that the listed version comes from; absent for one that was published here.'),
});
export type CatalogEntry = z.infer<typeof CatalogEntry>;

export const CATALOG_SORTS = ['relevance', 'installs', 'rating', 'updated', 'new', 'name'] as const;

/** Query of the catalogue. */
export const CatalogQuery = z.object({
  q: z
    .string()
    .optional()
    .describe(
      'Words to search for in name, publisher and description; the last one may be a prefix. Only the first 200 characters and the first eight words count.',
    ),
  category: Category.optional().describe('Only apps of this category.'),
  sort: z
    .enum(CATALOG_SORTS)
    .optional()
    .describe(
      'The default is `relevance` with `q`, otherwise `installs`. `rating` weights an app with few ratings less.',
    ),
  updatedSince: z.iso
    .datetime()
    .optional()
    .describe('Only apps whose latest version was published at or after this time, for mirrors.'),
  featured: z
    .literal('1')
    .optional()
    .describe(
      '`1` returns the featured apps alone, in the order that administrators chose; the other parameters have no effect.',
    ),
  limit: optionalPageSize(LIMITS.catalog.maxPage, 'Apps per page; 100 by default.'),
  cursor: z.string().max(1_000).optional().describe('`nextCursor` of the previous page.'),
});
export type CatalogQuery = z.infer<typeof CatalogQuery>;

/** A page of the catalogue. */
export const CatalogPage = named.object('CatalogPage', {
  apps: z.array(CatalogEntry),
  nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last.'),
  total: z
    .int()
    .describe(
      'Number of matches on all pages. A search returns the 500 best matches; without `q`, 10,000 means 10,000 or more.',
    ),
});
export type CatalogPage = z.infer<typeof CatalogPage>;

/** Query of an app. */
export const AppDetailQuery = z.object({
  html: z.literal('1').optional().describe('`1` adds the README and the changelogs as HTML.'),
  proof: z.literal('1').optional().describe('`1` adds the proof that the latest version is in the log.'),
});
export type AppDetailQuery = z.infer<typeof AppDetailQuery>;

/** A published version of an app. */
export const PublishedVersion = named.object('PublishedVersion', {
  version: z.string(),
  publishedAt: Timestamp,
  changelog: z.string().describe('CHANGELOG.md of the bundle, as Markdown.'),
  changelogHtml: z
    .string()
    .optional()
    .describe(
      'With `html=1`, for the newest versions: the section of the version in the changelog as sanitised HTML; all of it where no heading names the version.',
    ),
  sha256: Sha256,
  size: z.int(),
  signature: Signature,
  keyId: KeyId,
  grants: z.array(z.string()),
  domains: z.array(z.string()),
  accounts: z.array(z.string()).describe('Each account id, and `id:scope` for each scope.'),
  bundleUrl: z.url(),
  source: VersionSource.optional().describe('The CI job that uploaded it; absent when none did.'),
  attestation: VersionAttestation.optional().describe(
    'The CI job that built it, as its attestation proves; absent when it has none.',
  ),
  deprecated: z
    .string()
    .optional()
    .describe('Why it should not be used any more; absent when nothing is said.'),
  origin: VersionOrigin.optional().describe(
    'The store that it comes from, and what that store signed; absent for a version that was published here.',
  ),
});
export type PublishedVersion = z.infer<typeof PublishedVersion>;

/** Query of deprecations. */
export const DeprecationsQuery = z.object({
  apps: z
    .string()
    .regex(/^[^,]{1,200}(?:,[^,]{1,200}){0,99}$/)
    .describe('Ids of at most 100 apps, separated by commas.'),
});

/** Which of some apps, and which of their versions, should not be used any more. */
export const Deprecations = named.object('Deprecations', {
  apps: z
    .array(
      z.object({
        appId: z.string(),
        deprecation: Deprecation.optional(),
        versions: z.record(z.string(), z.string()).describe('Notes of deprecated versions, by version.'),
      }),
    )
    .describe('Those of which something is said, also when they are delisted.'),
});
export type Deprecations = z.infer<typeof Deprecations>;

/** A published app with its README and its versions. */
export const AppDetail = named.object('AppDetail', {
  ...CatalogEntry.shape,
  deprecation: Deprecation.optional().describe(
    'Why it should not be used any more, and what replaces it; absent otherwise.',
  ),
  readme: z.string().describe('README.md of the latest bundle, as Markdown.'),
  readmeHtml: z
    .string()
    .optional()
    .describe(
      'With `html=1`: the README as sanitised HTML. Its headings begin at `h3`, its ids with `readme-`; the addresses of its pictures begin at the root of the store.',
    ),
  logProof: z
    .string()
    .optional()
    .describe(
      'With `proof=1`, in a store with a log: the proof that the latest version is in it, with the checkpoint of then (c2sp.org/tlog-proof).',
    ),
  versions: z.array(PublishedVersion).describe('Newest first.'),
  tools: z
    .array(
      z.object({
        ...CatalogEntry.shape.tools.element.shape,
        remoteName: z.string().optional().describe('Name on the server, where it is not `id`.'),
        inputSchema: ServedTool.shape.inputSchema.optional(),
        outputSchema: ServedTool.shape.outputSchema,
        annotations: ServedTool.shape.annotations,
      }),
    )
    .describe(
      'With what the server said of each when its tools were recorded; `…/tools` has the signed record.',
    ),
  server: ServerStatus.nullable()
    .optional()
    .describe('How the server was found at the last check; null before the first.'),
});
export type AppDetail = z.infer<typeof AppDetail>;

/** The description of an app for a page that links to it (oembed.com, version 1.0). */
export const Oembed = named.object('Oembed', {
  version: z.literal('1.0'),
  type: z.literal('link'),
  title: z.string(),
  author_name: z.string(),
  author_url: z.url(),
  provider_name: z.string(),
  provider_url: z.url(),
  cache_age: z.int(),
  thumbnail_url: z.url().optional(),
  thumbnail_width: z.int().optional(),
  thumbnail_height: z.int().optional(),
});
export type Oembed = z.infer<typeof Oembed>;
