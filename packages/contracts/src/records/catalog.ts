import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { Category } from '../manifest/manifest.ts';
import { KeyId, PublisherSlug, Sha256, Signature, Timestamp } from './common.ts';

/** An https address, or an empty string where there is none: every key of an entry is always there. */
const UrlOrNone = z.union([z.url(), z.literal('')]);

/** A publisher as the public sees it. */
export const PublisherSummary = z
  .object({
    slug: PublisherSlug,
    name: z.string(),
    verified: z.boolean(),
    verifiedHost: z
      .string()
      .optional()
      .describe('Host of the website that was verified; empty when none was.'),
    website: z.string().describe('Empty when the publisher names none.'),
  })
  .meta({ id: 'PublisherSummary' });
export type PublisherSummary = z.infer<typeof PublisherSummary>;

/** One app in a list. */
export const CatalogEntry = z
  .object({
    appId: z.string(),
    name: z.string(),
    tagline: z.string().max(LIMITS.catalog.tagline).describe('The first sentence of the description.'),
    description: z.string(),
    categories: z.array(Category),
    publisher: PublisherSummary,
    version: z.string().describe('Latest published version.'),
    publishedAt: Timestamp,
    iconUrl: z.url(),
    markUrl: UrlOrNone.describe('Empty when the app has no mark.'),
    accent: z.string().describe('`#RRGGBB`; empty when the app declares none.'),
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
    homepage: z.string().describe('Empty when the app declares none.'),
    support: z.string().describe('An https or `mailto:` address; empty when the app declares none.'),
    size: z.int().describe('Bytes of the latest bundle.'),
  })
  .meta({ id: 'CatalogEntry' });
export type CatalogEntry = z.infer<typeof CatalogEntry>;

export const CATALOG_SORTS = ['relevance', 'installs', 'rating', 'updated', 'new', 'name'] as const;

/** Query of the catalogue. */
export const CatalogQuery = z.object({
  q: z
    .string()
    .optional()
    .describe(
      'Words to look for in name, publisher and description; the last one may be unfinished. Any text will do: the first 200 characters and eight words of it count.',
    ),
  category: Category.optional().describe('Only apps of this category.'),
  sort: z
    .enum(CATALOG_SORTS)
    .optional()
    .describe(
      '`relevance` with `q`, else `installs`, when left out. `rating` counts few ratings less than many.',
    ),
  updatedSince: z.iso
    .datetime()
    .optional()
    .describe(
      'Only apps whose latest version was published then or later: what a mirror has to fetch again.',
    ),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(LIMITS.catalog.maxPage)
    .optional()
    .describe('Apps a page; 100 when left out.'),
  cursor: z.string().max(1_000).optional().describe('`nextCursor` of the page before.'),
});
export type CatalogQuery = z.infer<typeof CatalogQuery>;

/** A page of the catalogue. */
export const CatalogPage = z
  .object({
    apps: z.array(CatalogEntry),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last.'),
    total: z
      .int()
      .describe(
        'Apps that match, over all pages. A search finds the 500 that answer best; without one, 10,000 means that many or more.',
      ),
  })
  .meta({ id: 'CatalogPage' });
export type CatalogPage = z.infer<typeof CatalogPage>;

/** Query of the detail of an app. */
export const AppDetailQuery = z.object({
  html: z.literal('1').optional().describe('`1` brings README and changelogs as HTML too.'),
});

/** A published version of an app. */
export const PublishedVersion = z
  .object({
    version: z.string(),
    publishedAt: Timestamp,
    changelog: z.string().describe('CHANGELOG.md of the bundle, markdown.'),
    changelogHtml: z
      .string()
      .optional()
      .describe(
        'With `html=1`, of the newest versions: the changelog as HTML that can do nothing but be read.',
      ),
    sha256: Sha256,
    size: z.int(),
    signature: Signature,
    keyId: KeyId,
    grants: z.array(z.string()),
    domains: z.array(z.string()),
    accounts: z.array(z.string()).describe('Each account id, and `id:scope` for each scope.'),
    bundleUrl: z.url(),
  })
  .meta({ id: 'PublishedVersion' });
export type PublishedVersion = z.infer<typeof PublishedVersion>;

/** All the public may know of an app. */
export const AppDetail = z
  .object({
    ...CatalogEntry.shape,
    readme: z.string().describe('README.md of the latest bundle, markdown.'),
    readmeHtml: z
      .string()
      .optional()
      .describe('With `html=1`: the README as HTML that can do nothing but be read; headings from `h3` on.'),
    versions: z.array(PublishedVersion).describe('Newest first.'),
  })
  .meta({ id: 'AppDetail' });
export type AppDetail = z.infer<typeof AppDetail>;
