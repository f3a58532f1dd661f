import type { FeaturedApps, FeaturedChange, Issue } from '@svc/contracts';
import type { HandlersOf } from '../../core/access/extension.ts';
import type { Caller } from '../../core/domain/identity/caller.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Clock, UnitOfWork } from '../../platform/system.ts';
import type { FeaturedStore } from './featured-store.ts';

type Stores = Pick<Parts, 'listings' | 'audit'> & { featured: FeaturedStore };

export type FeatureDeps = { clock: Clock; unitOfWork: UnitOfWork<Stores> };

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((appId, n) => appId === b[n]);

/**
 * Refuses apps that the catalogue does not list. An app that is featured already may stay, listed or not: it is shown at its
 * place again when it is listed again.
 * @throws ApiError invalid_request with an issue for each app
 */
async function requireListed(
  { listings }: Stores,
  appIds: readonly string[],
  before: readonly string[],
): Promise<void> {
  const listed = await listings.findAll(appIds);
  const allowed = new Set([...before, ...listed.map(({ appId }) => appId)]);
  const issues = appIds.flatMap((appId, n): Issue[] =>
    allowed.has(appId)
      ? []
      : [
          {
            code: 'invalid_request',
            level: 'error',
            path: `/apps/${n}`,
            message: `There is no published app ${appId}.`,
          },
        ],
  );
  if (issues.length > 0)
    throw new ApiError('invalid_request', 'Only apps in the catalogue can be featured: see issues.', {
      issues,
    });
}

/**
 * Sets the featured apps of the catalogue, in this order.
 * @throws ApiError invalid_request; already_handled when the featured apps are no longer those in `from`
 */
function changeFeatured(
  { unitOfWork, clock }: FeatureDeps,
  caller: Caller,
  { apps, from }: FeaturedChange,
): Promise<FeaturedApps> {
  return unitOfWork(async (stores) => {
    const before = await stores.featured.ids();
    if (from !== undefined && !isSame(from, before))
      throw new ApiError('already_handled', 'The featured apps have changed: reload them and try again.');
    await requireListed(stores, apps, before);
    if (!isSame(apps, before)) {
      await stores.featured.set(apps);
      const detail = { apps, before };
      await stores.audit.add(caller, clock().toISOString(), { action: 'featured.change', detail });
    }
    return { apps: await stores.featured.all() };
  });
}

export const featuredRoutes = (deps: FeatureDeps & { featured: Pick<FeaturedStore, 'all'> }) =>
  ({
    featuredApps: async () => ({ apps: await deps.featured.all() }),
    changeFeatured: ({ caller, body }) => changeFeatured(deps, caller, body),
  }) satisfies HandlersOf<'featured'>;
