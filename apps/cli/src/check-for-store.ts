import type { Localhost } from '@svc/validator';
import type { CheckedApp } from './check-app.ts';
import { isLocalStore } from './io/store-settings.ts';
import type { StoreClient } from './store-client.ts';

/**
 * The store's rule for apps whose servers are on localhost. Only a store on this machine is asked; any other store refuses such apps.
 * A store that does not answer counts as refusing.
 */
async function localhostRule(client: Pick<StoreClient, 'baseUrl' | 'call'>): Promise<Localhost> {
  if (!isLocalStore(client.baseUrl)) return 'refuse';
  const { localApps } = await client.call('GET /api/store').catch(() => ({ localApps: false }));
  return localApps ? 'warn' : 'refuse';
}

/**
 * Checks an app as the store will. The store is contacted only when the app uses servers on localhost.
 * @param client null when the app is not meant for a particular store
 * @returns the result, and the rule that applied to servers on localhost
 */
export async function checkForStore(
  client: Pick<StoreClient, 'baseUrl' | 'call'> | null,
  check: (localhost: Localhost) => Promise<CheckedApp>,
): Promise<{ checked: CheckedApp; localhost: Localhost }> {
  const checked = await check('warn');
  const isLocal = checked.issues.some(({ code }) => code.endsWith('.localhost'));
  if (!isLocal) return { checked, localhost: 'refuse' };
  const localhost = client ? await localhostRule(client) : 'refuse';
  return { checked: localhost === 'warn' ? checked : await check(localhost), localhost };
}
