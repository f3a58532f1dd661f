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
import { type LookDeps, loadAppPage } from './look-at-app.ts';

type RouteDeps = CatalogDeps &
  LookDeps & { featured: Pick<FeaturedStore, 'ids'>; staticAddresses: ReadonlyMap<string, string> };

const framed = ({ staticAddresses, baseUrl }: RouteDeps, c: Context<Env>, page: PublicPage): EncodedPage =>
  framePage(page, {
    assets: { script: staticAddresses.get('storefront.js') ?? '' },
    baseUrl,
    brand: c.get('brand'),
  });

/** Pages are the same for everybody, and held with those of the API, under their path. */
async function sendHeld(
  deps: RouteDeps,
  c: Context<Env>,
  held: PageCache<EncodedPage>,
  make: () => Promise<PublicPage>,
): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const page = await held.get(pathname + search, async () => framed(deps, c, await make()));
  const { body, headers } = await page.in(encodingFor(c.req.header('accept-encoding')));
  return sendCacheable(c, body, headers);
}

/** There is no end of addresses that lead nowhere, so nothing is held for them. */
async function sendNoCategory(deps: RouteDeps, c: Context<Env>): Promise<Response> {
  const { body, headers } = await framed(deps, c, noCategoryPage()).in('identity');
  const { ETag: _tag, ...rest } = headers;
  return c.body(body as Uint8Array<ArrayBuffer>, 404, { ...rest, 'Cache-Control': 'no-store' });
}

type Asked = Pick<CatalogQuery, 'q' | 'category' | 'sort' | 'cursor'>;

/** Whether it is the first page of the whole catalogue, in whatever order. */
const isFirst = ({ q, category, cursor }: Asked): boolean =>
  (q ?? '').trim() === '' && category === undefined && cursor === undefined;

async function makeCatalogue(deps: RouteDeps, asked: Asked): Promise<PublicPage> {
  const [found, featured] = await Promise.all([
    browseCatalog(deps, { ...asked, limit: APPS_A_PAGE }),
    isFirst(asked) ? featuredApps(deps) : [],
  ]);
  // A link to another category begins there at its first page.
  const { cursor: _cursor, ...place } = asked;
  return cataloguePage(place, found, featured);
}

const categoryOf = (name: string): Category | undefined =>
  CATEGORIES.find((category) => category === name);

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
    sendHeld(deps, c, deps.details, async () =>
      appPage(await loadAppPage(deps, params.appId, query)),
    )) satisfies RouteHandler<'appPage'>,
});
