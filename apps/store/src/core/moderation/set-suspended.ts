import type { Caller } from '../domain/identity/caller.ts';
import type { PostDeps } from '../domain/mail/post-mail.ts';
import { recordPublisherChange } from '../domain/mail/record-publisher-change.ts';
import type { Stores } from '../domain/parts/parts.ts';
import { requireChange } from '../domain/versions/changes.ts';

/** What a suspension is about: a publisher with all of its apps, or one app. */
export type Target = { publisher: string; appId: string | null };

/** Suspends a target, or ends its suspension. */
export async function setSuspended(
  deps: PostDeps,
  stores: Stores,
  caller: Caller,
  { publisher, appId }: Target,
  { suspended, reason, at }: { suspended: boolean; reason: string; at: string },
): Promise<void> {
  const suspension = suspended ? { reason, by: caller.name, at } : null;
  if (appId === null) {
    await stores.publishers.change(publisher, { suspended, suspension });
    const action = suspended ? 'publisher.suspend' : 'publisher.unsuspend';
    const event = { action, publisher, detail: { reason } } as const;
    await recordPublisherChange(deps, stores, caller, at, event);
  } else {
    await stores.apps.suspend(
      appId,
      suspension,
      await requireChange(stores, 'changeApp', caller, { publisher, appId }, at),
    );
    const action = suspended ? 'app.suspend' : 'app.unsuspend';
    await stores.audit.add(caller, at, { action, appId, publisher, detail: { reason } });
  }
}
