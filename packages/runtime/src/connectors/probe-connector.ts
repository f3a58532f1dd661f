import { knock } from '../accounts/discovery/discover.ts';
import { addressOf, type Guard, requestsOf } from '../accounts/requests.ts';
import { SignInFault } from '../accounts/sign-in-fault.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { Ambient } from '../platform/ambient.ts';
import { RuntimeRefusal } from '../platform/refusal.ts';
import { connectorApp } from './connector-app.ts';

/** Longest address that is taken. */
const MOST_URL = 2000;

/**
 * The address of a hosted MCP server in the one form in which it is kept.
 * @throws RuntimeRefusal address-refused when it is not https, or names no public host
 */
export function connectorUrl(text: string): string {
  try {
    if (text.length > MOST_URL) throw new SignInFault('The address is too long.');
    const url = addressOf(text, false);
    url.hash = '';
    return url.href;
  } catch (error) {
    if (error instanceof SignInFault) throw new RuntimeRefusal('address-refused');
    throw error;
  }
}

/**
 * Makes an app of a hosted MCP server that somebody names by its address, once it has answered. Whether it wants people to sign
 * in is what it says: by a 401, with or without a challenge.
 * @throws RuntimeRefusal address-refused, server-failed; the signal's reason when it is aborted
 */
export async function probeConnector(
  deps: { guard: Guard; ambient: Pick<Ambient, 'sleep'> },
  text: string,
  signal?: AbortSignal,
): Promise<InstalledApp> {
  const url = connectorUrl(text);
  try {
    const { status, isClosed } = await knock(requestsOf(deps, false, signal), url);
    if (!isClosed && status !== 200) {
      throw new RuntimeRefusal(
        'server-failed',
        `There is no MCP server at ${new URL(url).host} (${status}).`,
      );
    }
    return connectorApp(url, isClosed);
  } catch (error) {
    if (error instanceof SignInFault) throw new RuntimeRefusal('server-failed', error.message);
    throw error;
  }
}
