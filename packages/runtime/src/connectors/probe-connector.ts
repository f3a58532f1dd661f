import { probeUnauthenticated } from '../accounts/discovery/discover.ts';
import { OAuthError } from '../accounts/oauth-error.ts';
import { addressOf, type Guard, requestsOf } from '../accounts/requests.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { connectorApp } from './connector-app.ts';

/** Longest address that is taken. */
const MAX_URL = 2000;

/**
 * The address of a hosted MCP server in the one form in which it is kept.
 * @throws RuntimeError address-refused when it is not https, or names no public host
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
 * Makes an app of a hosted MCP server that a person names by its address, once it has answered. Whether it wants people to sign
 * in is what it says: by a 401, with or without a challenge.
 * @throws RuntimeError address-refused, server-failed; the signal's reason when it is aborted
 */
export async function probeConnector(
  deps: { guard: Guard; system: Pick<System, 'sleep'> },
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
