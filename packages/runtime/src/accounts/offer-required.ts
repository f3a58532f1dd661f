import { askToConnect } from '../cards/ask-to-connect.ts';
import type { Ask } from '../cards/card.ts';
import type { Events, RuntimeEvent } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { Library } from '../library/library.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { Accounts } from './accounts.ts';

export type OfferDeps = {
  events: Events;
  library: Pick<Library, 'list' | 'get'>;
  accounts: Pick<Accounts, 'list' | 'connect' | 'underWay' | 'signInDetails'>;
  ask: Ask;
  onFault(error: unknown): void;
};

const requiredOf = ({ manifest }: InstalledApp): string[] =>
  (manifest.accounts ?? []).filter(({ required }) => required).map(({ id }) => id);

/**
 * Offers to connect accounts of an app, one after the other, while the app is on.
 * @throws RuntimeError `declined`, which skips the remaining accounts; and as `askToConnect`
 */
async function offer(
  { library, accounts, ask }: OfferDeps,
  appId: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const id of ids) {
    const app = library.get(appId);
    if (!app?.on || !requiredOf(app).includes(id)) return;
    const status = (await accounts.list(app)).find((one) => one.id === id);
    if (status?.connected) continue;
    await askToConnect({ ask, accounts }, app, id, {}, signal);
  }
}

/**
 * Offers to connect the required accounts of an app when it is installed or switched on, when an update adds one, and when a
 * developer folder is opened. An account that the user declines is offered again when a tool needs it.
 * @returns stops the offers
 */
export function offerRequired(deps: OfferDeps): () => void {
  const ended = new AbortController();
  const offering = new Set<string>();
  const known = new Map(deps.library.list().map((app) => [app.appId, requiredOf(app)]));

  /** The accounts to offer; after an update only the new ones. */
  function idsFor(event: RuntimeEvent & { appId: string }): string[] {
    const app = deps.library.get(event.appId);
    const before = known.get(event.appId) ?? [];
    const ids = app ? requiredOf(app) : [];
    known.set(event.appId, ids);
    return event.type === 'app-installed' || event.type === 'app-switched'
      ? ids
      : ids.filter((id) => !before.includes(id));
  }

  const stop = deps.events.subscribe((event) => {
    if (event.type === 'app-removed') known.delete(event.appId);
    const enables =
      event.type === 'app-installed' ||
      event.type === 'app-updated' ||
      event.type === 'developer-app-changed' ||
      (event.type === 'app-switched' && event.on);
    if (!enables || event.appId === null) return;
    const { appId } = event;
    const ids = idsFor({ ...event, appId });
    if (ids.length === 0 || offering.has(appId)) return;
    offering.add(appId);
    offer(deps, appId, ids, ended.signal)
      .catch((error: unknown) => {
        if (!(error instanceof RuntimeError) && !ended.signal.aborted) deps.onFault(error);
      })
      .finally(() => offering.delete(appId));
  });

  return () => {
    stop();
    ended.abort(new RuntimeError('switched-off', 'The client is closing.'));
  };
}
