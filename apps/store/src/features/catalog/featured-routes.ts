import type { Handlers } from '../../access/bind-route.ts';
import type { FeaturedStore } from '../../domain/listings/featured-store.ts';
import { changeFeatured, type FeatureDeps } from './change-featured.ts';

export const featuredRoutes = (deps: FeatureDeps & { featured: Pick<FeaturedStore, 'all'> }) =>
  ({
    featuredApps: async () => ({ apps: await deps.featured.all() }),
    changeFeatured: ({ caller, body }) => changeFeatured(deps, caller, body),
  }) satisfies Handlers;
