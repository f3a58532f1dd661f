import { CATEGORIES, type CatalogEntry, type CatalogQuery, type Category } from '@svc/contracts';
import type { Context } from 'hono';
import type { RouteHandler } from '../../access/bind-route.ts';
import type { Env } from '../../access/context.ts';
import type { FeaturedStore } from '../../domain/listings/featured-store.ts';
import { wordsOf } from '../../domain/listings/search/words.ts';
import type { EncodedPage } from '../../http/encoded-page.ts';
import { encodingFor } from '../../http/encoding.ts';
import { sendCacheable } from '../../http/send.ts';
import type { PageCache } from '../../platform/page-cache.ts';
import { browseCatalog, featuredApps } from '../catalog/browse.ts';
import type { CatalogDeps } from '../catalog/routes.ts';
import { appPage } from './app-page.ts';
import { APPS_A_PAGE, cataloguePage, noCategoryPage } from './catalogue-page.ts';
import { framePage, type PublicPage } from './frame.ts';
import { type AppPageDeps, loadAppPage, type Positions } from './load-app-page.ts';
import { loadPublisherPage } from './load-publisher-page.ts';
import { addressOfApp, addressOfPublisher } from './paths.ts';
import { type PreviewRouteDeps, previewRoutes } from './preview-routes.ts';
import { addressOfPreview } from './previews.ts';
import { publisherPage } from './publisher-page.ts';
import { type FeedName, feed, llmsTxt, robotsTxt } from './web-files.ts';
import { WORDS } from './words.ts';

type RouteDeps = CatalogDeps &
  AppPageDeps &
  PreviewRouteDeps & {
    featured: Pick<FeaturedStore, 'ids'>;
    staticAddresses: ReadonlyMap<string, string>;
  };

/** How many apps a search without results shows, and the letters of a word by which it finds them. */
const CLOSEST = 4;
const CLOSEST_LETTERS = 3;

/** A page, and the path of its link preview. */
type PageWithPreview = { page: PublicPage; preview: string };

const framed = (
  { staticAddresses, baseUrl }: RouteDeps,
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
const withStorePreview = ({ previews }: RouteDeps, page: PublicPage): PageWithPreview => ({
  page,
  preview: addressOfPreview('/', previews.ofStore(WORDS.tagline)),
});

/** Sends a page from the cache. Pages are the same for all visitors, and share the cache of the API, by path. */
async function sendCached(
  deps: RouteDeps,
  c: Context<Env>,
  cache: PageCache<EncodedPage>,
  make: () => Promise<PageWithPreview>,
): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const page = await cache.get(pathname + search, async () => framed(deps, c, await make()));
  const { body, headers } = await page.in(encodingFor(c.req.header('accept-encoding')));
  return sendCacheable(c, body, headers);
}

/** The page for an unknown category. Not cached, as there are endless such addresses. */
async function sendNoCategory(deps: RouteDeps, c: Context<Env>): Promise<Response> {
  const { body, headers } = await framed(deps, c, withStorePreview(deps, noCategoryPage())).in('identity');
  const { ETag: _tag, ...rest } = headers;
  return c.body(body as Uint8Array<ArrayBuffer>, 404, { ...rest, 'Cache-Control': 'no-store' });
}

type PageQuery = Pick<CatalogQuery, 'q' | 'category' | 'sort' | 'cursor'>;

/** Whether it is the first page of the whole catalogue, in any order. */
const isFirst = ({ q, category, cursor }: PageQuery): boolean =>
  (q ?? '').trim() === '' && category === undefined && cursor === undefined;

/** Apps that a search without results shows: those whose words begin as the longest typed one, else the most installed. */
async function closestTo(deps: RouteDeps, { q = '', category }: PageQuery): Promise<CatalogEntry[]> {
  const longest = wordsOf(q).reduce((best, word) => (word.length > best.length ? word : best), '');
  const start = [...longest].slice(0, CLOSEST_LETTERS).join('');
  const rest = { ...(category !== undefined && { category }), limit: CLOSEST };
  const similar = start === '' ? [] : (await browseCatalog(deps, { ...rest, q: start })).apps;
  return similar.length > 0 ? similar : (await browseCatalog(deps, rest)).apps;
}

async function makeCatalogue(deps: RouteDeps, query: PageQuery): Promise<PageWithPreview> {
  const [apps, featured] = await Promise.all([
    browseCatalog(deps, { ...query, limit: APPS_A_PAGE }),
    isFirst(query) ? featuredApps(deps) : [],
  ]);
  const isMissed = apps.total === 0 && (query.q ?? '').trim() !== '';
  const closest = isMissed ? await closestTo(deps, query) : [];
  // Without the cursor: links to a category lead to its first page.
  const { cursor: _cursor, ...rest } = query;
  return withStorePreview(deps, cataloguePage(rest, apps, featured, closest));
}

async function makeAppPage(deps: RouteDeps, appId: string, positions: Positions): Promise<PageWithPreview> {
  const { shown, preview } = await loadAppPage(deps, appId, positions);
  return { page: appPage(shown), preview: addressOfPreview(addressOfApp(appId), preview) };
}

async function makePublisherPage(deps: RouteDeps, slug: string): Promise<PageWithPreview> {
  const shown = await loadPublisherPage(deps, slug);
  const preview = deps.previews.ofPublisher(shown.publisher);
  return { page: publisherPage(shown), preview: addressOfPreview(addressOfPublisher(slug), preview) };
}

const categoryOf = (name: string): Category | undefined => CATEGORIES.find((category) => category === name);

/** Sends a file from the cache of the pages, by path. */
async function sendFile(
  { pages }: RouteDeps,
  c: Context<Env>,
  make: () => EncodedPage | Promise<EncodedPage>,
): Promise<Response> {
  const page = await pages.get(c.req.path, async () => make());
  const { body, headers } = await page.in(encodingFor(c.req.header('accept-encoding')));
  return sendCacheable(c, body, headers);
}

/** The pages of the catalogue. */
export const storefrontRoutes = (deps: RouteDeps) => ({
  cataloguePage: ((c, { query }) =>
    sendCached(deps, c, deps.pages, () =>
      makeCatalogue(deps, query),
    )) satisfies RouteHandler<'cataloguePage'>,
  categoryPage: ((c, { params, query }) => {
    const category = categoryOf(params.category);
    if (category === undefined) return sendNoCategory(deps, c);
    return sendCached(deps, c, deps.pages, () => makeCatalogue(deps, { ...query, category }));
  }) satisfies RouteHandler<'categoryPage'>,
  appPage: ((c, { params, query }) =>
    sendCached(deps, c, deps.details, () =>
      makeAppPage(deps, params.appId, query),
    )) satisfies RouteHandler<'appPage'>,
  publisherPage: ((c, { params }) =>
    sendCached(deps, c, deps.details, () =>
      makePublisherPage(deps, params.slug),
    )) satisfies RouteHandler<'publisherPage'>,
  robots: ((c) => sendFile(deps, c, robotsTxt)) satisfies RouteHandler<'robots'>,
  llms: ((c) => sendFile(deps, c, () => llmsTxt(deps, c.get('brand').name))) satisfies RouteHandler<'llms'>,
  feed: ((c, { params }) => {
    const [name, format] = params.feed.split('.') as [FeedName, 'atom' | 'json'];
    return sendFile(deps, c, () => feed(deps, name, format));
  }) satisfies RouteHandler<'feed'>,
  ...previewRoutes(deps),
});
