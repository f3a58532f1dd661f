import type { FeaturedApps, FeaturedChange, Issue } from '@svc/contracts';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import type { Caller } from '../domain/identity/caller.ts';
import type { FeaturedStore } from '../domain/listings/featured-store.ts';
import type { ListingStore } from '../domain/listings/listing-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { Clock, UnitOfWork } from '../platform/system.ts';

type Stores = { featured: FeaturedStore; listings: ListingStore; audit: AuditLog };

export type FeatureDeps = { clock: Clock; unitOfWork: UnitOfWork<Stores> };

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((appId, n) => appId === other[n]);

/**
 * An app that is featured already may stay, listed or not: it comes back to its place when it is listed again.
 * @throws ApiError invalid_request with an issue for each other app that the catalogue does not list
 */
async function requireListed(
  { listings }: Stores,
  appIds: readonly string[],
  before: readonly string[],
): Promise<void> {
  const found = await listings.findAll(appIds);
  const known = new Set([...before, ...found.map(({ appId }) => appId)]);
  const issues = appIds.flatMap((appId, n): Issue[] =>
    known.has(appId)
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
    throw new ApiError('invalid_request', 'Only apps that the catalogue lists can be featured.', { issues });
}

/**
 * Sets which apps the catalogue features, in their order.
 * @throws ApiError invalid_request; already_handled when the row is no longer the one that the change began with
 */
export function changeFeatured(
  { unitOfWork, clock }: FeatureDeps,
  caller: Caller,
  { apps, from }: FeaturedChange,
): Promise<FeaturedApps> {
  return unitOfWork(async (stores) => {
    const before = await stores.featured.ids();
    if (from !== undefined && !isSame(from, before))
      throw new ApiError('already_handled', 'The featured apps were changed meanwhile: load them again.');
    await requireListed(stores, apps, before);
    if (!isSame(apps, before)) {
      await stores.featured.set(apps);
      const detail = { apps, before };
      await stores.audit.add(caller, clock().toISOString(), { action: 'featured.change', detail });
    }
    return { apps: await stores.featured.all() };
  });
}
