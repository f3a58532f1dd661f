import type { AppQuery, AppRecord, AppRecords } from '@svc/contracts';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import type { Caller } from '../domain/identity/caller.ts';
import type { AppStore } from '../domain/versions/app-store.ts';
import { ApiError } from '../platform/api-error.ts';
import { pageOf } from '../platform/page-of.ts';
import type { Clock, UnitOfWork } from '../platform/system.ts';

export type SuspendDeps = { unitOfWork: UnitOfWork<{ apps: AppStore; audit: AuditLog }>; clock: Clock };

/**
 * One page of apps, in the order of their ids.
 * @throws ApiError invalid_request for a cursor that no page gave
 */
export async function findApps(
  { apps }: { apps: AppStore },
  { q, publisher, suspended, ...page }: AppQuery,
): Promise<AppRecords> {
  const { items, nextCursor } = await pageOf(
    page,
    (after) => apps.search({ beginning: q, publisher, suspended, after, limit: page.limit }),
    ({ appId }) => appId,
  );
  return { apps: items, nextCursor };
}

/**
 * Suspends an app, which hides it and refuses uploads, or lets it back.
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
