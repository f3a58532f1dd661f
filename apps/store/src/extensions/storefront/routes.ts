import {
  CATEGORIES,
  type CatalogEntry,
  type CatalogPage,
  type CatalogQuery,
  type Category,
  LIMITS,
} from '@svc/contracts';
import type { Context } from 'hono';
import type { Handlers } from '../../core/access/bind-route.ts';
import type { Env } from '../../core/access/context.ts';
import type { Additions, Alternate, HandlersOf } from '../../core/access/extension.ts';
import { browseCatalog } from '../../core/catalog/browse.ts';
import { rasterHeaders } from '../../core/catalog/file-headers.ts';
import type { FileMemory } from '../../core/catalog/file-memory.ts';
import {
  type PublicPublisherDeps,
  readPublicPublisher,
  requirePublicPublisher,
} from '../../core/catalog/public-publisher.ts';
import { type CatalogDeps, featuredApps, sendEncoded } from '../../core/catalog/routes.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { addressOfApp, addressOfPublisher } from '../../core/web/paths.ts';
import type { EncodedPage } from '../../http/encoded-page.ts';
import { sendCacheable } from '../../http/send.ts';
import { ApiError } from '../../platform/api-error.ts';
import { networkOf } from '../../platform/network-of.ts';
import type { PageCache } from '../../platform/page-cache.ts';
import { appPage } from './app-page.ts';
import { APPS_A_PAGE, cataloguePage, noCategoryPage, type Shelf } from './catalogue-page.ts';
import { framePage, type PublicPage } from './frame.ts';
import {
  type AppPageDeps,
  addressOfPreview,
  loadAppPage,
  type Positions,
  previewOfApp,
} from './load-app-page.ts';
import type { LinkPreview, Previews } from './previews.ts';
import { publisherPage } from './publisher-page.ts';
import { createSitemap, llmsTxt, robotsTxt, type WebFileDeps } from './web-files.ts';
import { countFacets, FACETS, type FacetCounts, facetsIn } from './words.ts';

type PreviewDeps = PublicPublisherDeps &
  Pick<Parts, 'listings' | 'versions'> & { files: FileMemory; previews: Previews };

/** Sends a preview. Recently requested ones are in memory. */
async function sendPreview({ files }: PreviewDeps, c: Context<Env>, preview: LinkPreview): Promise<Response> {
  const network = networkOf(c.get('address'));
  const make = () => preview.png({ account: network, network });
  const { bytes } = await files.generated(`preview ${preview.hash}`, make, () => true);
  return sendCacheable(c, bytes, rasterHeaders(bytes));
}

/** @throws ApiError not_found */
async function requireListed({ listings, versions }: PreviewDeps, appId: string) {
  const app = await listings.find(appId);
  const record = app && (await versions.find(app));
  if (!app || !record) throw new ApiError('not_found', `There is no published app ${appId}.`);
  return { app, record };
}

/** The link preview pictures, which chats and social networks show. */
const previewRoutes = (deps: PreviewDeps) =>
  ({
    cataloguePreview: (_request, c) =>
      sendPreview(deps, c, deps.previews.ofStore('Apps for your chat client')),
    appPreview: async ({ params }, c) => {
      const { app, record } = await requireListed(deps, params.appId);
      return sendPreview(deps, c, previewOfApp(deps.previews, record, app.publisher));
    },
    publisherPreview: async ({ params }, c) =>
      sendPreview(
        deps,
        c,
        deps.previews.ofPublisher((await requirePublicPublisher(deps, params.slug)).publisher),
      ),
  }) satisfies Handlers;

export type StorefrontDeps = CatalogDeps &
  WebFileDeps &
  AppPageDeps &
  PreviewDeps & { staticAddresses: ReadonlyMap<string, string> };

/** How many apps a search without results shows. */
const POPULAR = 6;

/** A page, and the path of its link preview. */
type PageWithPreview = { page: PublicPage; preview: string };

const framed = (
  { staticAddresses, baseUrl }: StorefrontDeps,
  c: Context<Env>,
  { page, preview }: PageWithPreview,
): EncodedPage =>
  framePage(page, {
    assets: { script: staticAddresses.get('storefront.js') ?? '' },
    baseUrl,
    brand: c.get('brand'),
    preview,
  });

/** Adds the preview of the store to a page. */
const withStorePreview = ({ previews }: StorefrontDeps, page: PublicPage): PageWithPreview => ({
  page,
  preview: addressOfPreview('/', previews.ofStore('Apps for your chat client')),
});

/** Sends a page from the cache. Pages are the same for all visitors, and share the cache of the API, by path. */
async function sendCached(
  deps: StorefrontDeps,
  c: Context<Env>,
  cache: PageCache<EncodedPage>,
  make: () => Promise<PageWithPreview>,
): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  return sendEncoded(c, await cache.get(pathname + search, async () => framed(deps, c, await make())));
}

/** The page for an unknown category. Not cached, as there are endless such addresses. */
async function sendNoCategory(deps: StorefrontDeps, c: Context<Env>): Promise<Response> {
  const { body, headers } = await framed(deps, c, withStorePreview(deps, noCategoryPage())).in('identity');
  const { ETag: _tag, ...rest } = headers;
  return c.body(body as Uint8Array<ArrayBuffer>, 404, { ...rest, 'Cache-Control': 'no-store' });
}

type PageQuery = Pick<CatalogQuery, 'q' | 'category' | 'sort' | 'cursor'> & { only?: string | undefined };

/** Pages of a category that one request reads for apps with its facets. */
const MAX_NARROWED = 5;

/** A page of the catalogue, or of the apps with some facets, which are found among the next ones of the order. */
async function readPage(deps: StorefrontDeps, { only, ...query }: PageQuery): Promise<CatalogPage> {
  const facets = facetsIn(only);
  if (facets.length === 0) return browseCatalog(deps, { ...query, limit: APPS_A_PAGE });
  const apps: CatalogEntry[] = [];
  let page: CatalogPage;
  let { cursor } = query;
  let read = 0;
  do {
    page = await browseCatalog(deps, { ...query, cursor, limit: LIMITS.catalog.maxPage });
    apps.push(...page.apps.filter((app) => facets.every((facet) => FACETS[facet].has(app))));
    cursor = page.nextCursor ?? undefined;
    read += 1;
  } while (apps.length < APPS_A_PAGE && cursor !== undefined && read < MAX_NARROWED);
  return { ...page, apps };
}

/**
 * The apps behind each facet. In a category of one long page they are read for it; a search would cost a second one, so that its apps are
 * counted where its page has them all.
 */
async function countsOf(
  deps: StorefrontDeps,
  query: PageQuery,
  page: CatalogPage,
): Promise<FacetCounts | null> {
  const { only, cursor, category, q = '', ...rest } = query;
  const chosen = facetsIn(only);
  const isWhole = chosen.length === 0 && cursor === undefined && page.nextCursor === null;
  if (isWhole) return countFacets(page.apps, chosen);
  if (category === undefined || q.trim() !== '' || page.total > LIMITS.catalog.maxPage) return null;
  const { apps } = await browseCatalog(deps, { ...rest, category, limit: LIMITS.catalog.maxPage });
  return countFacets(apps, chosen);
}

/** Whether it is the first page of the whole catalogue, in any order. */
const isFirst = ({ q, category, cursor }: PageQuery): boolean =>
  (q ?? '').trim() === '' && category === undefined && cursor === undefined;

/** Apps that a search without results shows, the most installed: the search has looked for everything close to what was typed. */
async function popularApps(deps: StorefrontDeps, { category }: PageQuery): Promise<CatalogEntry[]> {
  return (await browseCatalog(deps, { ...(category !== undefined && { category }), limit: POPULAR })).apps;
}

/** Apps of a shelf of the front page. */
const SHELF = 6;

/** From how many apps on the front page has shelves: two of them without an app in both. */
const SHELVES_FROM = 2 * SHELF;

const NEW_APPS = { title: 'New apps', sort: 'new' } as const;

/** Rows of apps before the whole list, where the store has enough of them. */
async function shelvesOf(deps: StorefrontDeps, total: number): Promise<Shelf[]> {
  if (total < SHELVES_FROM) return [];
  const shelves = [NEW_APPS, ...deps.additions.flatMap(({ shelf }) => shelf ?? [])];
  return Promise.all(
    shelves.map(async ({ title, sort }) => ({
      ...{ title, sort },
      apps: (await browseCatalog(deps, { sort, limit: SHELF })).apps,
    })),
  );
}

/** The other forms of a page, as the extensions say. */
const alternatesOf = (
  { additions }: StorefrontDeps,
  of: (alternates: NonNullable<Additions['alternates']>) => readonly Alternate[],
): Alternate[] => additions.flatMap(({ alternates }) => (alternates ? of(alternates) : []));

async function makeCatalogue(deps: StorefrontDeps, query: PageQuery): Promise<PageWithPreview> {
  const isFront = isFirst(query) && query.sort === undefined;
  const [apps, featured] = await Promise.all([
    readPage(deps, query),
    isFirst(query) ? featuredApps(deps.additions) : [],
  ]);
  const isMissed = apps.total === 0 && (query.q ?? '').trim() !== '';
  const [popular, shelves] = await Promise.all([
    isMissed ? popularApps(deps, query) : [],
    isFront ? shelvesOf(deps, apps.total) : [],
  ]);
  const offers = deps.additions.flatMap((addition) => addition.offers ?? []);
  const counts = await countsOf(deps, query, apps);
  const hasCli = deps.routeNames.has('cliPage');
  // Without the cursor: links to a category lead to its first page.
  const { cursor: _cursor, ...rest } = query;
  const page = cataloguePage(rest, apps, { featured, popular, shelves, offers, counts, hasCli });
  const alternates = alternatesOf(deps, (of) => of.catalogue());
  return withStorePreview(deps, { ...page, alternates });
}

async function makeAppPage(
  deps: StorefrontDeps,
  appId: string,
  positions: Positions,
): Promise<PageWithPreview> {
  const { shown, preview } = await loadAppPage(deps, appId, positions);
  const page = { ...appPage(shown), alternates: alternatesOf(deps, (of) => of.app(shown.app)) };
  return { page, preview: addressOfPreview(addressOfApp(appId), preview) };
}

async function makePublisherPage(deps: StorefrontDeps, slug: string): Promise<PageWithPreview> {
  const shown = await readPublicPublisher(deps, slug);
  const preview = deps.previews.ofPublisher(shown.publisher);
  const { name } = shown.publisher;
  const alternates = alternatesOf(deps, (of) => of.publisher({ slug, name }));
  const page = { ...publisherPage(shown), alternates };
  return { page, preview: addressOfPreview(addressOfPublisher(slug), preview) };
}

const categoryOf = (name: string): Category | undefined => CATEGORIES.find((category) => category === name);

/** Sends a file from the cache of the pages, by path. */
async function sendFile(
  { pages }: StorefrontDeps,
  c: Context<Env>,
  make: () => EncodedPage | Promise<EncodedPage>,
): Promise<Response> {
  return sendEncoded(c, await pages.get(c.req.path, async () => make()));
}

const SITEMAP = { 'Content-Type': 'application/xml; charset=utf-8', 'Cache-Control': 'public, max-age=3600' };

export function storefrontRoutes(deps: StorefrontDeps): HandlersOf<'storefront'> {
  const sitemap = createSitemap(deps);
  return {
    cataloguePage: ({ query }, c) => sendCached(deps, c, deps.pages, () => makeCatalogue(deps, query)),
    categoryPage: ({ params, query }, c) => {
      const category = categoryOf(params.category);
      if (category === undefined) return sendNoCategory(deps, c);
      return sendCached(deps, c, deps.pages, () => makeCatalogue(deps, { ...query, category }));
    },
    appPage: ({ params, query }, c) =>
      sendCached(deps, c, deps.details, () => makeAppPage(deps, params.appId, query)),
    publisherPage: ({ params }, c) =>
      sendCached(deps, c, deps.details, () => makePublisherPage(deps, params.slug)),
    robots: (_request, c) => sendFile(deps, c, () => robotsTxt(deps)),
    sitemap: async (_request, c) => c.body(await sitemap(null), 200, SITEMAP),
    sitemapPart: async ({ params }, c) => c.body(await sitemap(params.part), 200, SITEMAP),
    llms: (_request, c) => sendFile(deps, c, () => llmsTxt(deps, c.get('brand').name)),
    ...previewRoutes(deps),
  };
}
