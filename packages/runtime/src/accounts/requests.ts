import { isIP } from 'node:net';
import { isObject } from '@svc/contracts/is-object';
import { withHeaders } from '../calls/authorised-fetch.ts';
import type { ProbeOptions } from '../calls/probe-server.ts';
import type { ConnectorHeaders } from '../connectors/connector-headers.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { developerFoldersOnly, type LoopbackOf } from '../library/loopback.ts';
import { isAllowedHere, type Loopback, redirectTarget } from '../network/connector.ts';
import { ANSWERS, bytesOf, parseAnswer } from '../network/read-answer.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { withinTime } from '../platform/within-time.ts';
import { OAuthError } from './oauth-error.ts';

/**
 * Creates a fetch that reaches only the allowed hosts, and no private address, whatever DNS resolves to. `home` is the origin of the
 * requests, which may use any port. `close` closes its connections.
 */
export type Guard = (reach: {
  allowed: readonly string[];
  allowLoopback: Loopback;
  home: string;
  personal?: readonly string[];
}) => typeof fetch & { close?(): Promise<void> };

/** Requests to the authorization servers of an app. */
export type Requests = {
  /** A bounded fetch that reads the whole response and follows no redirect. Rejects with an OAuthError. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /**
   * Reads a public document, or sends a request without a secret: follows redirects to the same origin, of a POST those that keep the
   * method; returns others. Rejects with an OAuthError.
   */
  read(url: string, init?: RequestInit): Promise<Response>;
  /** What a connection to an MCP server without a token needs. @param headers of the user, which are sent with each request */
  server(url: string, headers?: ConnectorHeaders): ProbeOptions;
  /** Which servers on this machine may be requested over http. */
  allowLoopback: Loopback;
};

const { maxBytes: MAX_BYTES } = ANSWERS.authorizationServer;

/** Maximum redirects of a request without a secret. */
const MAX_REDIRECTS = 3;

const NONE: ReadonlySet<number> = new Set();
/** Redirects that keep method and body (RFC 9110 section 15.4). */
const KEEPING: ReadonlySet<number> = new Set([307, 308]);
const ALL: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Time limit of one request, in milliseconds. */
const LIMIT_MS = 30_000;

/** Statuses of responses without a body (RFC 9110 section 15). */
const EMPTY = new Set([204, 205]);

/** Names that are local to each network (RFC 6761, RFC 6762, RFC 8375). */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/;

/**
 * Parses a URL of an authorization server: https, and a public host name. The guard checks the addresses that DNS returns.
 * @param allowLoopback allows http to this machine
 * @throws OAuthError
 */
export function addressOf(text: string, allowLoopback: Loopback): URL {
  const url = URL.parse(text);
  if (url?.username !== '' || url.password !== '') {
    throw new OAuthError('A sign-in address is no address.');
  }
  const { hostname, protocol } = url;
  if (isAllowedHere(url, allowLoopback)) return url;
  if (protocol !== 'https:') throw new OAuthError(`A sign-in address is not https: ${url.host}`);
  // An IPv6 address has no dot.
  const isName = isIP(hostname) === 0 && hostname.includes('.');
  if (!isName || LOCAL_NAME.test(hostname))
    throw new OAuthError(`A sign-in address is not public: ${url.host}`);
  return url;
}

/**
 * Receives a response.
 * @returns it, or where it redirects to if that may be followed
 * @throws OAuthError for any other redirect
 */
async function receive(
  response: Response,
  url: URL,
  redirects: ReadonlySet<number>,
): Promise<Response | string> {
  const { status, headers } = response;
  const isMoved =
    response.type === 'opaqueredirect' || response.redirected || (status >= 300 && status < 400);
  const tooLarge = () => new OAuthError(`${url.host} sends more than a megabyte.`);
  const body = isMoved ? null : await bytesOf(response, MAX_BYTES, tooLarge);
  if (isMoved) await response.body?.cancel();
  if (!isMoved) return new Response(EMPTY.has(status) ? null : body, { status, headers });
  const target = redirectTarget(response, url);
  if (redirects.has(status) && target?.origin === url.origin) return target.href;
  // A request that carries no secret says what it got; any other redirect could send a code or a token to an unchecked server.
  if (redirects.size > 0) return new Response(null, { status });
  throw new OAuthError(`${url.host} responds with a redirect.`);
}

/** The error of a request without the original message, which may contain a URL with a secret. */
function faultOf(error: unknown, host: string, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof OAuthError) return error;
  if (error instanceof RuntimeError) return new OAuthError(`${host}: ${error.message}`, null, 'unreachable');
  return new OAuthError(`${host} cannot be reached, or does not respond in time.`, null, 'unreachable');
}

export type RequestDeps = { guard: Guard; system: Pick<System, 'now' | 'sleep'> };

/**
 * Creates the requests to authorization servers. Each request can reach only its own host.
 * @param signal aborts all of them
 */
export function requestsOf(
  { guard, system }: RequestDeps,
  allowLoopback: Loopback,
  signal: AbortSignal = AbortSignal.any([]),
): Requests {
  async function send(
    text: string,
    init: RequestInit,
    redirects: ReadonlySet<number>,
    remaining = MAX_REDIRECTS,
  ): Promise<Response> {
    const url = addressOf(text, allowLoopback);
    const reach = guard({ allowed: [url.hostname], allowLoopback, home: url.origin });
    try {
      const sent = await withinTime(system, LIMIT_MS, signal, async (limit) => {
        const response = await reach(url.href, { ...init, redirect: 'manual', signal: limit });
        return receive(response, url, remaining > 0 ? redirects : NONE);
      });
      return typeof sent === 'string' ? await send(sent, init, redirects, remaining - 1) : sent;
    } catch (error) {
      throw faultOf(error, url.host, signal);
    }
  }
  return {
    fetch: (url, init = {}) => send(url, init, NONE),
    read: (url, init = { headers: { Accept: 'application/json' } }) =>
      send(url, init, init.method === 'POST' ? KEEPING : ALL),
    server(text, headers = {}) {
      const { hostname, origin, href } = addressOf(text, allowLoopback);
      const personal = Object.keys(headers);
      const own = personal.length > 0 && { personal };
      const reach = { allowed: [hostname], allowLoopback, home: origin, ...own };
      return { url: href, fetch: withHeaders(guard(reach), headers), system, signal };
    },
    allowLoopback,
  };
}

/** Creates the requests to the authorization servers of an app; see `requestsOf`. */
export const requestsFor = (
  { loopbackOf = developerFoldersOnly, ...deps }: RequestDeps & { loopbackOf?: LoopbackOf | undefined },
  app: InstalledApp,
  signal?: AbortSignal,
): Requests => requestsOf(deps, loopbackOf(app), signal);

/** The JSON object in a response; null for anything else, such as the sign-in page of a web application. */
export async function objectIn(response: Response): Promise<Record<string, unknown> | null> {
  try {
    const value = parseAnswer((await bytesOf(response, MAX_BYTES)).toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
