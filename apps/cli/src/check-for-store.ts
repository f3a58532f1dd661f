import type { Localhost } from '@svc/validator';
import type { CheckedApp } from './check-app.ts';
import { isHere } from './io/store-settings.ts';
import type { StoreClient } from './store-client.ts';

/**
 * What a store says of apps whose servers are on localhost. Only one on this machine is asked, and believed: any other refuses
 * them, whatever it says. One that does not say takes none.
 */
async function localhostIn(client: Pick<StoreClient, 'baseUrl' | 'facts'>): Promise<Localhost> {
  if (!isHere(client.baseUrl)) return 'refuse';
  const { localApps } = await client.facts().catch(() => ({ localApps: false }));
  return localApps ? 'warn' : 'refuse';
}

/**
 * Checks an app as a store will. The store is asked only about an app that names servers on localhost.
 * @param client null when it is for no store in particular
 * @returns what was found, and what held for servers on localhost
 */
export async function checkForStore(
  client: Pick<StoreClient, 'baseUrl' | 'facts'> | null,
  check: (localhost: Localhost) => Promise<CheckedApp>,
): Promise<{ checked: CheckedApp; localhost: Localhost }> {
  const checked = await check('warn');
  const isLocal = checked.issues.some(({ code }) => code.endsWith('.localhost'));
  if (!isLocal) return { checked, localhost: 'refuse' };
  const localhost = client ? await localhostIn(client) : 'refuse';
  return { checked: localhost === 'warn' ? checked : await check(localhost), localhost };
}
