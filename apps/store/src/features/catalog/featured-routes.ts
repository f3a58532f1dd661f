import type { RouteHandler } from '../../access/bind-route.ts';
import type { FeaturedStore } from '../../domain/listings/featured-store.ts';
import { changeFeatured, type FeatureDeps } from './change-featured.ts';

export const featuredRoutes = (deps: FeatureDeps & { featured: Pick<FeaturedStore, 'all'> }) => ({
  featuredApps: (async (c) =>
    c.json({ apps: await deps.featured.all() }, 200, {
      'Cache-Control': 'no-store',
    })) satisfies RouteHandler<'featuredApps'>,
  changeFeatured: (async (c, { body }) =>
    c.json(await changeFeatured(deps, c.get('caller'), body))) satisfies RouteHandler<'changeFeatured'>,
});
