import { isIP } from 'node:net';
import type { InstalledApp } from '../library/installed-app.ts';
import { developerFoldersOnly, type LoopbackOf } from '../library/loopback.ts';
import { isAllowedHere, type Loopback } from '../network/allowed-url.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { withinTime } from '../platform/within-time.ts';
import { OAuthError } from './oauth-error.ts';

/**
 * Makes a fetch that reaches the allowed hosts alone, and no private address, whatever DNS says. `home` is the origin that is
 * going to be asked, which may be on a port of its own. `close` ends its connections.
 */
export type Guard = (reach: {
  allowed: readonly string[];
  allowLoopback: Loopback;
  home: string;
}) => typeof fetch & { close?(): Promise<void> };

/** How the servers of one app are asked. */
export type Requests = {
  /** A fetch with bounds, whose answer has been read whole. It follows no redirect. Rejects with a OAuthError. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** The same, without the body of the answer: it may never end. */
  head(url: string, init?: RequestInit): Promise<Response>;
  /** Which servers of this computer may be asked, over http. */
  allowLoopback: Loopback;
};

/** Longest answer that is read, in bytes. */
const MAX_BYTES = 1024 * 1024;

/** Longest time for one request and its answer. */
const LIMIT_MS = 30_000;

/** Answers that have no body (RFC 9110 section 15). */
const EMPTY = new Set([204, 205, 304]);

/** Names that mean something else on every network (RFC 6761, RFC 6762, RFC 8375). */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/;

/**
 * An address of a sign-in server as it may be asked, or opened in a browser: https, and a name that DNS knows. What DNS says is
 * looked at by the guard.
 * @param allowLoopback lets http through to this computer
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
  const isName = isIP(hostname) === 0 && !hostname.startsWith('[') && hostname.includes('.');
  if (!isName || LOCAL_NAME.test(hostname))
    throw new OAuthError(`A sign-in address is not public: ${url.host}`);
  return url;
}

async function readBounded({ body }: Response, host: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new OAuthError(`${host} sends more than a megabyte.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What a request failed with, in words of ours: those of others may hold an address with a secret. */
function faultOf(error: unknown, host: string, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof OAuthError) return error;
  if (error instanceof RuntimeError) return new OAuthError(`${host}: ${error.message}`);
  return new OAuthError(`${host} cannot be reached, or does not answer in time.`);
}

export type RequestDeps = { guard: Guard; system: Pick<System, 'sleep'> };

/**
 * Requests to sign-in servers. Each reaches its own host alone.
 * @param signal ends all of them
 */
export function requestsOf(
  { guard, system }: RequestDeps,
  allowLoopback: Loopback,
  signal: AbortSignal = AbortSignal.any([]),
): Requests {
  const send = async (text: string, init: RequestInit, withBody: boolean): Promise<Response> => {
    const url = addressOf(text, allowLoopback);
    const reach = guard({ allowed: [url.hostname], allowLoopback, home: url.origin });
    try {
      return await withinTime(system, LIMIT_MS, signal, async (limit) => {
        const response = await reach(url.href, { ...init, redirect: 'manual', signal: limit });
        const { status, headers } = response;
        // A redirect would take a code or a token to a server that nobody has looked at.
        const moved =
          response.type === 'opaqueredirect' || response.redirected || (status >= 300 && status < 400);
        const body = moved || !withBody ? null : await readBounded(response, url.host);
        if (body === null) await response.body?.cancel();
        if (moved) throw new OAuthError(`${url.host} answers with a redirect.`);
        return new Response(EMPTY.has(status) ? null : body, { status, headers });
      });
    } catch (error) {
      throw faultOf(error, url.host, signal);
    }
  };
  return {
    fetch: (url, init = {}) => send(url, init, true),
    head: (url, init = {}) => send(url, init, false),
    allowLoopback,
  };
}

/** Requests to the sign-in servers of an app: see `requestsOf`. */
export const requestsFor = (
  { loopbackOf = developerFoldersOnly, ...deps }: RequestDeps & { loopbackOf?: LoopbackOf | undefined },
  app: InstalledApp,
  signal?: AbortSignal,
): Requests => requestsOf(deps, loopbackOf(app), signal);

/**
 * The JSON object in an answer.
 * @throws OAuthError when it is none
 */
export async function objectIn(response: Response, what: string): Promise<Record<string, unknown>> {
  const value: unknown = await response.json().catch(() => null);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new OAuthError(`${what} is no JSON object.`);
}
