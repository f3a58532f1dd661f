import type { Accounts } from './accounts/accounts.ts';
import type { Disconnected } from './accounts/disconnect.ts';
import type { AppStorage } from './files/app-storage.ts';
import type { InstalledApp } from './library/installed-app.ts';
import type { Library } from './library/library.ts';
import { RuntimeError } from './platform/runtime-error.ts';

/** What became of the accounts of an app that was removed. */
export type Removed = { accounts: ({ id: string } & Disconnected)[] };

type Deps = { library: Library; accounts: Accounts; storage: AppStorage };

/** A vault that does not open keeps nobody from removing an app: its account is then not revoked, and that is said. */
async function disconnect(accounts: Accounts, app: InstalledApp, accountId: string): Promise<Disconnected> {
  try {
    return await accounts.disconnect(app, accountId);
  } catch (error) {
    if (error instanceof RuntimeError) return { revoked: false, reason: error.message };
    throw error;
  }
}

/** Ends what earlier versions of the app left in the vault too. What cannot be ended now is when the vault opens again. */
async function settle(accounts: Accounts): Promise<void> {
  try {
    await accounts.settle();
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
  }
}

/**
 * Removes an app with what it would leave behind: its sign-ins, which its servers take back too where they can be reached, and
 * the files it kept. It is switched off before anything else, so that a removal which is cut short leaves an app that can do
 * nothing, and can be removed again.
 * @throws RuntimeError `not-installed`, also for a folder under development, which is closed instead, and a built-in app
 */
export async function removeApp({ library, accounts, storage }: Deps, appId: string): Promise<Removed> {
  const app = library.get(appId);
  if (!app || app.source.kind === 'developer' || app.source.kind === 'built-in') {
    throw new RuntimeError('not-installed', undefined, { detail: { appId } });
  }
  library.switch(appId, false);
  const removed: Removed = { accounts: [] };
  for (const { id } of app.manifest.accounts ?? []) {
    removed.accounts.push({ id, ...(await disconnect(accounts, app, id)) });
  }
  await storage.removeApp(appId);
  library.remove(appId);
  await settle(accounts);
  return removed;
}
