import { probeUnauthenticated } from '../accounts/discovery/discover.ts';
import { OAuthError } from '../accounts/oauth-error.ts';
import { addressOf, type Guard, requestsOf } from '../accounts/requests.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { connectorApp } from './connector-app.ts';

/** Maximum length of an address. */
const MAX_URL = 2000;

/**
 * Parses the address of a remote MCP server, and returns the form in which it is stored.
 * @throws RuntimeError address-refused when it is not https, or not of a public host
 */
export function connectorUrl(text: string): string {
  try {
    if (text.length > MAX_URL) throw new OAuthError('The address is too long.');
    const url = addressOf(text, false);
    url.hash = '';
    return url.href;
  } catch (error) {
    if (error instanceof OAuthError) throw new RuntimeError('address-refused');
    throw error;
  }
}

/**
 * Creates the app of a remote MCP server from its address, once the server has responded. A 401, with or without a challenge,
 * means that it requires users to sign in.
 * @throws RuntimeError address-refused, server-failed; the signal's reason when it is aborted
 */
export async function probeConnector(
  deps: { guard: Guard; system: Pick<System, 'now' | 'sleep'> },
  text: string,
  signal?: AbortSignal,
): Promise<InstalledApp> {
  const url = connectorUrl(text);
  try {
    const { status, isClosed } = await probeUnauthenticated(requestsOf(deps, false, signal), url);
    if (!isClosed && status !== 200) {
      throw new RuntimeError('server-failed', `There is no MCP server at ${new URL(url).host} (${status}).`);
    }
    return connectorApp(url, isClosed);
  } catch (error) {
    if (error instanceof OAuthError) throw new RuntimeError('server-failed', error.message);
    throw error;
  }
}
