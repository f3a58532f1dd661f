import { OAuthError } from '../accounts/oauth-error.ts';
import { addressOf, type Guard, requestsOf } from '../accounts/requests.ts';
import { type ProbeOptions, probeServer } from '../calls/probe-server.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { connectorApp } from './connector-app.ts';
import type { ConnectorHeaders } from './connector-headers.ts';

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
 * @throws RuntimeError where it is no MCP server, does not answer, or refuses the headers of the user
 */
export async function needsAccount(options: ProbeOptions, headers: ConnectorHeaders): Promise<boolean> {
  // A connector gets its account later where a call is challenged (`openFetch`): no call is made up at a server that a user adds.
  const { isClosed, fault } = await probeServer({ ...options, withCall: false });
  const { host } = new URL(options.url);
  const status = fault?.detail.status;
  const isRefused = (isClosed && headers.authorization !== undefined) || status === 403;
  if (isRefused && Object.keys(headers).length > 0) {
    const names = Object.keys(headers).join(', ');
    throw new RuntimeError('server-failed', `${host} refuses the header (${names}). Check its value.`);
  }
  if (fault && typeof status === 'number') throw new RuntimeError('server-failed', noServer(status, host));
  if (fault) throw fault;
  return isClosed;
}

/** Says why there is no server to add, and what to try. */
const noServer = (status: number, host: string): string =>
  status === 429 || status >= 500
    ? `${host} answers ${status}. Try again later.`
    : `There is no MCP server at this address of ${host} (${status}).`;

/**
 * Creates the app of a remote MCP server from its address, once the server has responded. A 401, with or without a challenge,
 * means that it requires users to sign in.
 * @param headers to send, as `plainHeaders` returns them
 * @throws RuntimeError address-refused, server-failed, unreachable, too-slow; the signal's reason when it is aborted
 */
export async function probeConnector(
  deps: { guard: Guard; system: Pick<System, 'now' | 'sleep'> },
  text: string,
  signal?: AbortSignal,
  headers: ConnectorHeaders = {},
): Promise<InstalledApp> {
  const url = connectorUrl(text);
  try {
    const isClosed = await needsAccount(requestsOf(deps, false, signal).server(url, headers), headers);
    return connectorApp(url, isClosed, Object.keys(headers));
  } catch (error) {
    if (error instanceof OAuthError) throw new RuntimeError('server-failed', error.message);
    throw error;
  }
}
