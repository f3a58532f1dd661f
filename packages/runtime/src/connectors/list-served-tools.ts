import { connectToServer, type ServerConnection } from '../calls/connection.ts';
import { faultOf } from '../calls/fault.ts';
import { createKnownEras } from '../calls/negotiate-era.ts';
import { createSecrets } from '../calls/secrets.ts';
import type { Connecting, Loopback } from '../network/connector.ts';
import { createGuardedFetch } from '../network/guarded-fetch.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';

/** Maximum bytes of all responses of a server to one listing. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The `tools/list` response of a server, neither cleaned nor bounded in its tools: read it with `servedToolsOf`. */
export type ServedListing = {
  tools: readonly unknown[];
  /** How long the server says that the list is fresh (MCP, `ttlMs`), in milliseconds. */
  ttlMs: number;
};

export type ListServedOptions = {
  /** The hosts that may be requested; default: that of the address. */
  allowed?: readonly string[];
  allowLoopback: Loopback;
  /** A token of a user, for a server that lists nothing without one. */
  token?: string | undefined;
  userAgent: string;
  limitMs: number;
  signal?: AbortSignal | undefined;
};

/** A server that lists its tools only to signed-in users, and says so with 401 (RFC 9110 section 15.5.2) or 403. */
const needsSignIn = ({ detail: { status } }: RuntimeError): boolean => status === 401 || status === 403;

/**
 * Lists the tools of an MCP server of either generation, in one session that ends afterwards.
 * @throws RuntimeError `not-connected` where the server requires a sign-in, and no or a refused token was given; `address-refused`,
 *   `unreachable`, `server-failed`, `too-slow`, `too-large`. With a `Retry-After` of the server, `detail.retryAfter` has its seconds
 */
export async function listServedTools(
  deps: {
    system: Pick<System, 'now' | 'sleep'>;
    client: { name: string; version: string };
    connecting?: Connecting | undefined;
  },
  address: string,
  { token, userAgent, limitMs, ...options }: ListServedOptions,
): Promise<ServedListing> {
  const { system, client, connecting } = deps;
  const url = URL.parse(address);
  if (!url) throw new RuntimeError('address-refused');
  const deadline = AbortSignal.timeout(limitMs);
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
  const guarded = createGuardedFetch({
    system,
    allowed: options.allowed ?? [url.hostname],
    // The server of an app on this machine must not lead to another port, behind which is no server of the app.
    allowLoopback: options.allowLoopback === true ? [url.origin] : options.allowLoopback,
    home: url.origin,
    bounds: { maxBytes: MAX_BYTES },
    ...(connecting && { connecting }),
  });
  const secrets = createSecrets();
  if (token !== undefined) secrets.add(token);
  const fetch: typeof globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('User-Agent', userAgent);
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
    return guarded(input, { ...init, headers });
  };
  let connection: ServerConnection | undefined;
  try {
    const known = createKnownEras(system);
    connection = await connectToServer({ system, client, known, signal, url: url.href, fetch });
    return secrets.strip(await connection.list(signal));
  } catch (error) {
    if (deadline.aborted) throw new RuntimeError('too-slow', 'The server does not list its tools in time.');
    const fault = faultOf(error, signal, secrets);
    if (fault instanceof RuntimeError && needsSignIn(fault)) throw new RuntimeError('not-connected');
    throw fault;
  } finally {
    await connection?.close();
    await guarded.close();
  }
}
