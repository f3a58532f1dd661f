import { CATEGORIES, type CatalogQuery, type Category } from '@svc/contracts';
import type { Context } from 'hono';
import type { RouteHandler } from '../access/bind-route.ts';
import type { Env } from '../access/context.ts';
import { browseCatalog, featuredApps } from '../catalog/browse.ts';
import type { CatalogDeps } from '../catalog/routes.ts';
import type { FeaturedStore } from '../domain/listings/featured-store.ts';
import type { EncodedPage } from '../http/encoded-page.ts';
import { encodingFor } from '../http/encoding.ts';
import { sendCacheable } from '../http/send.ts';
import type { PageCache } from '../platform/page-cache.ts';
import { appPage } from './app-page.ts';
import { APPS_A_PAGE, cataloguePage, noCategoryPage } from './catalogue-page.ts';
import { framePage, type PublicPage } from './frame.ts';
import { type LookDeps, loadAppPage, type Places } from './look-at-app.ts';
import { loadPublisherPage } from './look-at-publisher.ts';
import { addressOfApp, addressOfPublisher } from './paths.ts';
import { type PreviewRouteDeps, previewRoutes } from './preview-routes.ts';
import { addressOfPreview } from './previews.ts';
import { publisherPage } from './publisher-page.ts';
import { WORDS } from './words.ts';

type RouteDeps = CatalogDeps &
  LookDeps &
  PreviewRouteDeps & {
    featured: Pick<FeaturedStore, 'ids'>;
    staticAddresses: ReadonlyMap<string, string>;
  };

/** A page, and the path of the picture that chats show of a link to it. */
type Made = { page: PublicPage; preview: string };

const framed = (
  { staticAddresses, baseUrl }: RouteDeps,
  c: Context<Env>,
  { page, preview }: Made,
): EncodedPage =>
  framePage(page, {
    assets: { script: staticAddresses.get('storefront.js') ?? '' },
    baseUrl,
    brand: c.get('brand'),
    preview,
  });

/** A page that stands for the store has the store's picture. */
const withStorePreview = ({ previews }: RouteDeps, page: PublicPage): Made => ({
  page,
  preview: addressOfPreview('/', previews.ofStore(WORDS.tagline)),
});

/** Pages are the same for everybody, and held with those of the API, under their path. */
async function sendHeld(
  deps: RouteDeps,
  c: Context<Env>,
  held: PageCache<EncodedPage>,
  make: () => Promise<Made>,
): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const page = await held.get(pathname + search, async () => framed(deps, c, await make()));
  const { body, headers } = await page.in(encodingFor(c.req.header('accept-encoding')));
  return sendCacheable(c, body, headers);
}

/** There is no end of addresses that lead nowhere, so nothing is held for them. */
async function sendNoCategory(deps: RouteDeps, c: Context<Env>): Promise<Response> {
  const { body, headers } = await framed(deps, c, withStorePreview(deps, noCategoryPage())).in('identity');
  const { ETag: _tag, ...rest } = headers;
  return c.body(body as Uint8Array<ArrayBuffer>, 404, { ...rest, 'Cache-Control': 'no-store' });
}

type Asked = Pick<CatalogQuery, 'q' | 'category' | 'sort' | 'cursor'>;

/** Whether it is the first page of the whole catalogue, in whatever order. */
const isFirst = ({ q, category, cursor }: Asked): boolean =>
  (q ?? '').trim() === '' && category === undefined && cursor === undefined;

async function makeCatalogue(deps: RouteDeps, asked: Asked): Promise<Made> {
  const [found, featured] = await Promise.all([
    browseCatalog(deps, { ...asked, limit: APPS_A_PAGE }),
    isFirst(asked) ? featuredApps(deps) : [],
  ]);
  // A link to another category begins there at its first page.
  const { cursor: _cursor, ...place } = asked;
  return withStorePreview(deps, cataloguePage(place, found, featured));
}

async function makeAppPage(deps: RouteDeps, appId: string, places: Places): Promise<Made> {
  const { shown, preview } = await loadAppPage(deps, appId, places);
  return { page: appPage(shown), preview: addressOfPreview(addressOfApp(appId), preview) };
}

async function makePublisherPage(deps: RouteDeps, slug: string): Promise<Made> {
  const shown = await loadPublisherPage(deps, slug);
  const preview = deps.previews.ofPublisher(shown.publisher);
  return { page: publisherPage(shown), preview: addressOfPreview(addressOfPublisher(slug), preview) };
}

const categoryOf = (name: string): Category | undefined => CATEGORIES.find((category) => category === name);

/** The catalogue as people see it. */
export const storefrontRoutes = (deps: RouteDeps) => ({
  cataloguePage: ((c, { query }) =>
    sendHeld(deps, c, deps.pages, () => makeCatalogue(deps, query))) satisfies RouteHandler<'cataloguePage'>,
  categoryPage: ((c, { params, query }) => {
    const category = categoryOf(params.category);
    if (category === undefined) return sendNoCategory(deps, c);
    return sendHeld(deps, c, deps.pages, () => makeCatalogue(deps, { ...query, category }));
  }) satisfies RouteHandler<'categoryPage'>,
  appPage: ((c, { params, query }) =>
    sendHeld(deps, c, deps.details, () =>
      makeAppPage(deps, params.appId, query),
    )) satisfies RouteHandler<'appPage'>,
  publisherPage: ((c, { params }) =>
    sendHeld(deps, c, deps.details, () =>
      makePublisherPage(deps, params.slug),
    )) satisfies RouteHandler<'publisherPage'>,
  ...previewRoutes(deps),
});
