import type { Accounts } from './accounts/accounts.ts';
import type { Disconnected } from './accounts/grants.ts';
import type { HeaderStore } from './connectors/connector-headers.ts';
import type { AppStorage } from './files/app-storage.ts';
import { headerNamesOf, type InstalledApp } from './library/installed-app.ts';
import type { Library } from './library/library.ts';
import { RuntimeError } from './platform/runtime-error.ts';

/** The result of a removal: whether each account was revoked. */
export type Removed = { accounts: ({ id: string } & Disconnected)[] };

/** Disconnects an account. A locked vault does not prevent the removal: the account is then reported as not revoked. */
async function disconnect(accounts: Accounts, app: InstalledApp, accountId: string): Promise<Disconnected> {
  try {
    return await accounts.disconnect(app, accountId);
  } catch (error) {
    if (error instanceof RuntimeError) return { revoked: false, reason: error.message };
    throw error;
  }
}

/** Does work on the vault, which does not prevent the removal while it is locked. */
async function unlessLocked(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
  }
}

/**
 * Removes an app with its accounts, which are revoked at their servers, and its files. It is switched off first: an interrupted removal
 * leaves an app that is off and can be removed again.
 * @throws RuntimeError `not-installed`, also for a developer folder, which is closed instead, and for a built-in app
 */
export async function removeApp(
  {
    library,
    accounts,
    storage,
    headers,
  }: { library: Library; accounts: Accounts; storage: AppStorage; headers: HeaderStore },
  appId: string,
): Promise<Removed> {
  const app = library.get(appId);
  if (!app || app.source.kind === 'developer' || app.source.kind === 'built-in') {
    throw new RuntimeError('not-installed', undefined, { detail: { appId } });
  }
  library.switch(appId, false);
  const removed: Removed = { accounts: [] };
  for (const { id } of app.manifest.accounts ?? []) {
    removed.accounts.push({ id, ...(await disconnect(accounts, app, id)) });
  }
  if (headerNamesOf(app).length > 0) await unlessLocked(() => headers.write(appId, {}));
  await storage.removeApp(appId);
  library.remove(appId);
  // Grants that earlier versions of the app left in the vault; if it is locked, on its next use.
  await unlessLocked(() => accounts.settle());
  return removed;
}
