import type { AppChange, AppQuery, AppRecord, AppRecords } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { sortedPageOf } from '../../platform/page-of.ts';
import { recordDecision, takeBack } from '../domain/decisions/record-decision.ts';
import type { Caller } from '../domain/identity/caller.ts';
import { suspensionBy } from '../domain/identity/suspension.ts';
import { notifyMembers } from '../domain/mail/post-mail.ts';
import type { ChangeParts, Parts } from '../domain/parts/parts.ts';
import { placeOfApp } from '../domain/versions/app-store.ts';
import { requireChange } from '../domain/versions/changes.ts';

/**
 * Reads one page of apps, in the requested order.
 * @throws ApiError invalid_request for an invalid cursor
 */
export async function findApps(
  { apps, publishers }: Pick<Parts, 'apps' | 'publishers'>,
  { q, sort, direction, ...page }: AppQuery,
): Promise<AppRecords> {
  const criteria = { ...page, text: q, sort, direction };
  const { items, nextCursor } = await sortedPageOf(
    { ...page, order: `${sort} ${direction}` },
    (after) => apps.search({ ...criteria, after }),
    (app) => placeOfApp(app, sort),
  );
  const owners = await publishers.findAll([...new Set(items.map(({ publisher }) => publisher))]);
  const names = new Map(owners.map(({ slug, name }) => [slug, name]));
  const named = items.map((app) => ({ ...app, publisherName: names.get(app.publisher) ?? app.publisher }));
  return { apps: named, nextCursor };
}

/**
 * Suspends an app, which hides it and refuses uploads, or ends the suspension.
 * @throws ApiError not_found
 */
export async function suspendApp(
  deps: ChangeParts & Pick<Parts, 'hooks'>,
  caller: Caller,
  appId: string,
  { suspended, reason, rule }: AppChange,
): Promise<AppRecord> {
  const at = deps.clock().toISOString();
  const suspension = suspensionBy(caller, at, { suspended, reason });
  return deps.unitOfWork(async (stores) => {
    const { apps, audit } = stores;
    const before = await apps.find(appId);
    if (!before) throw new ApiError('not_found', `There is no app ${appId}.`);
    const app = await apps.suspend(
      appId,
      suspension,
      await requireChange(stores, 'changeApp', caller, before, at),
    );
    if (!app) throw new Error('An app went away in the transaction of its suspension.');
    const action = suspended ? 'app.suspend' : 'app.unsuspend';
    const { publisher } = app;
    const about = { kind: 'app-suspended', publisher, appId, rule, note: suspension?.reason ?? '' } as const;
    const cited = suspension && !before.suspended && (await recordDecision(deps, stores, caller, at, about));
    const detail = { ...(reason !== undefined && { reason }), ...cited };
    await audit.add(caller, at, { action, appId, publisher, detail });
    if (!suspended && before?.suspended) await takeBack(deps, stores, caller, about, { note: reason, at });
    if (suspension && !before.suspended) {
      const content = { publisher, appId, reason: suspension.reason };
      await notifyMembers(deps, stores, publisher, { kind: 'app-suspended', detail: content });
    }
    return app;
  });
}
