import { type Probe, probeUnauthenticated } from '../accounts/discovery/discover.ts';
import { OAuthError } from '../accounts/oauth-error.ts';
import { addressOf, type Guard, requestsOf } from '../accounts/requests.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { connectorApp } from './connector-app.ts';
import { type ConnectorHeaders, withHeaders } from './connector-headers.ts';

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
 * Whether a server requires the user to sign in, from its answers to requests without a token.
 * @throws RuntimeError server-failed where it is no MCP server, or refuses the headers of the user
 */
export function needsAccount(
  { status, isClosed }: Pick<Probe, 'status' | 'isClosed'>,
  url: string,
  headers: ConnectorHeaders,
): boolean {
  const { host } = new URL(url);
  const isRefused = (isClosed && headers.authorization !== undefined) || status === 403;
  if (isRefused && Object.keys(headers).length > 0) {
    const names = Object.keys(headers).join(', ');
    throw new RuntimeError('server-failed', `${host} refuses the header (${names}). Check its value.`);
  }
  if (isClosed || status === 200) return isClosed;
  throw new RuntimeError('server-failed', `There is no MCP server at ${host} (${status}).`);
}

/**
 * Creates the app of a remote MCP server from its address, once the server has responded. A 401, with or without a challenge,
 * means that it requires users to sign in.
 * @param headers to send, as `plainHeaders` returns them
 * @throws RuntimeError address-refused, server-failed; the signal's reason when it is aborted
 */
export async function probeConnector(
  deps: { guard: Guard; system: Pick<System, 'now' | 'sleep'> },
  text: string,
  signal?: AbortSignal,
  headers: ConnectorHeaders = {},
): Promise<InstalledApp> {
  const url = connectorUrl(text);
  try {
    const { head } = requestsOf(deps, false, signal);
    const probe = await probeUnauthenticated({ head: withHeaders(head, headers) }, url);
    return connectorApp(url, needsAccount(probe, url, headers), Object.keys(headers));
  } catch (error) {
    if (error instanceof OAuthError) throw new RuntimeError('server-failed', error.message);
    throw error;
  }
}
