import type { AppQuery, AppRecord, AppRecords } from '@svc/contracts';
import type { AuditLog } from '../../domain/audit/audit-log.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import { type AppStore, placeOfApp } from '../../domain/versions/app-store.ts';
import { ApiError } from '../../platform/api-error.ts';
import { sortedPageOf } from '../../platform/page-of.ts';
import type { Clock, UnitOfWork } from '../../platform/system.ts';

export type SuspendDeps = { unitOfWork: UnitOfWork<{ apps: AppStore; audit: AuditLog }>; clock: Clock };

/**
 * Reads one page of apps, in the requested order.
 * @throws ApiError invalid_request for an invalid cursor
 */
export async function findApps(
  { apps }: { apps: AppStore },
  { q, publisher, suspended, sort, direction, ...page }: AppQuery,
): Promise<AppRecords> {
  const criteria = { beginning: q, publisher, suspended, sort, direction, limit: page.limit };
  const { items, nextCursor } = await sortedPageOf(
    { ...page, order: `${sort} ${direction}` },
    (after) => apps.search({ ...criteria, after }),
    (app) => placeOfApp(app, sort),
  );
  return { apps: items, nextCursor };
}

/**
 * Suspends an app, which hides it and refuses uploads, or ends the suspension.
 * @throws ApiError not_found
 */
export async function suspendApp(
  deps: SuspendDeps,
  caller: Caller,
  appId: string,
  suspended: boolean,
): Promise<AppRecord> {
  return deps.unitOfWork(async ({ apps, audit }) => {
    const app = await apps.suspend(appId, suspended);
    if (!app) throw new ApiError('not_found', `There is no app ${appId}.`);
    const action = suspended ? 'app.suspend' : 'app.unsuspend';
    await audit.add(caller, deps.clock().toISOString(), { action, appId, publisher: app.publisher });
    return app;
  });
}
