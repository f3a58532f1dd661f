import type { Context } from 'hono';
import type { RouteHandler } from '../access/bind-route.ts';
import type { Env } from '../access/context.ts';
import { browseCatalog } from '../catalog/browse.ts';
import type { CatalogDeps } from '../catalog/routes.ts';
import type { EncodedPage } from '../http/encoded-page.ts';
import { encodingFor } from '../http/encoding.ts';
import { sendCacheable } from '../http/send.ts';
import type { PageCache } from '../platform/page-cache.ts';
import { appPage } from './app-page.ts';
import { APPS_A_PAGE, cataloguePage } from './catalogue-page.ts';
import { framePage, type PublicPage } from './frame.ts';
import { type LookDeps, loadAppPage } from './look-at-app.ts';

type RouteDeps = CatalogDeps & LookDeps & { staticAddresses: ReadonlyMap<string, string> };

const assetsOf = ({ staticAddresses }: RouteDeps) => ({
  script: staticAddresses.get('storefront.js') ?? '',
});

/** Pages are the same for everybody, and held with those of the API, under their path. */
async function sendHeld(
  deps: RouteDeps,
  c: Context<Env>,
  held: PageCache<EncodedPage>,
  make: () => Promise<PublicPage>,
): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const page = await held.get(pathname + search, async () =>
    framePage(await make(), { assets: assetsOf(deps), baseUrl: deps.baseUrl, brand: c.get('brand') }),
  );
  const { body, headers } = await page.in(encodingFor(c.req.header('accept-encoding')));
  return sendCacheable(c, body, headers);
}

/** The catalogue as people see it. */
export const storefrontRoutes = (deps: RouteDeps) => ({
  cataloguePage: ((c, { query }) =>
    sendHeld(deps, c, deps.pages, async () =>
      cataloguePage(query, await browseCatalog(deps, { ...query, limit: APPS_A_PAGE })),
    )) satisfies RouteHandler<'cataloguePage'>,
  appPage: ((c, { params, query }) =>
    sendHeld(deps, c, deps.details, async () =>
      appPage(await loadAppPage(deps, params.appId, query)),
    )) satisfies RouteHandler<'appPage'>,
});
