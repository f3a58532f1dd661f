import { Agent } from 'undici';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { allowedUrl, isLoopbackHost, type Reach } from './allowed-url.ts';
import { watchedBody } from './bounded-body.ts';
import { type Connecting, guardedConnector } from './connector.ts';
import { type Outgoing, sendRequest } from './send-request.ts';

/** What one request may take. Times are milliseconds. */
export type Bounds = {
  connectMs: number;
  /** Until the header of the answer is there. */
  headersMs: number;
  /** Between two pieces of the body. */
  silenceMs: number;
  /** From the first connection to the last byte, redirects included; Infinity where the signal of each request bounds it. */
  totalMs: number;
  /** Of the decompressed body. */
  maxBytes: number;
};

const USUAL: Bounds = {
  connectMs: 10_000,
  headersMs: 60_000,
  silenceMs: 60_000,
  totalMs: 120_000,
  maxBytes: 8 * 1024 * 1024,
};

const MAX_REDIRECTS = 5;
const MAX_HEADER_BYTES = 32 * 1024;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export type GuardedFetchOptions = Reach & {
  /** Where time comes from; without it only the connection's own timers hold, and a body that drips is not ended. */
  system: Pick<System, 'sleep'>;
  bounds?: Partial<Bounds>;
  connecting?: Connecting;
};

/** A `fetch` that reaches nothing but what it was made for. `close` ends its connections. */
export type GuardedFetch = typeof fetch & { close(): Promise<void> };

/** Headers that say who asks or for whom: they are for the server they were meant for, and for no other. */
const isPersonal = (name: string): boolean =>
  name === 'authorization' || name === 'cookie' || name === 'mcp-session-id' || name.startsWith('x-svc-');

function withoutPersonal(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of [...kept.keys()]) if (isPersonal(name)) kept.delete(name);
  return kept;
}

/** The request that a redirect asks for. A method is never changed: what was meant to be posted would be lost unnoticed. */
function nextHop(hop: Outgoing, response: Response, options: GuardedFetchOptions): Outgoing {
  const url = allowedUrl(new URL(response.headers.get('location') ?? '', hop.url), options);
  // Nobody on the network sends a request into this machine, whatever the app may reach there by itself.
  if (isLoopbackHost(url.hostname) && !isLoopbackHost(hop.url.hostname)) {
    throw new RuntimeError('address-refused', 'A server elsewhere redirects to this machine.');
  }
  const keeps =
    response.status === 307 || response.status === 308 || hop.method === 'GET' || hop.method === 'HEAD';
  if (!keeps)
    throw new RuntimeError('server-failed', 'The server answers a request with a redirect that drops it.');
  return { ...hop, url, headers: url.origin === hop.url.origin ? hop.headers : withoutPersonal(hop.headers) };
}

/** The refusal within what undici threw, also while a body was read; what else went wrong is said without the address, which may hold a secret. */
export function refusalOf(error: unknown, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  for (let at = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth += 1) {
    if (at instanceof RuntimeError) return at;
    const { code } = at as NodeJS.ErrnoException;
    if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return new RuntimeError('too-large');
    if (code?.includes('TIMEOUT')) return new RuntimeError('too-slow', 'The server does not answer in time.');
    if (code === 'UND_ERR_HEADERS_OVERFLOW') return new RuntimeError('too-large', 'The header is too large.');
  }
  return new RuntimeError('unreachable');
}

function bodyText(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('The guarded fetch sends texts and forms.');
}

function firstHop(input: string | URL | Request, init: RequestInit, options: GuardedFetchOptions): Outgoing {
  if (input instanceof Request) throw new TypeError('The guarded fetch takes an address and what to send.');
  const url = allowedUrl(input, options);
  const headers = new Headers(init.headers);
  if (init.body instanceof URLSearchParams && !headers.has('content-type')) {
    headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
  }
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
  const atHome = options.home === undefined || url.origin === options.home;
  return {
    url,
    method: (init.method ?? 'GET').toUpperCase(),
    headers: atHome ? headers : withoutPersonal(headers),
    body: bodyText(init.body),
  };
}

/** A reason made once: making one for each request costs more than all the rest of a deadline. */
const OVER = new Error('The request is over.');

/** Aborts after so long, or with another signal; `done` ends the waiting. */
function deadline(system: Pick<System, 'sleep'>, ms: number, signal: AbortSignal | null | undefined) {
  const late = new AbortController();
  const waiting = new AbortController();
  system.sleep(ms, waiting.signal).then(
    () => late.abort(new RuntimeError('too-slow', 'The server does not answer in time.')),
    () => undefined,
  );
  return {
    signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    done: () => waiting.abort(OVER),
  };
}

/**
 * Makes a `fetch` for one app: it asks hosts that are allowed, over https, on addresses of the public Internet whatever a name
 * leads to, follows redirects no further than that, and bounds time and size. `Authorization`, cookies and `X-Svc-*` go to the
 * app's `home` alone when there is one, and never along with a redirect to another origin. With `redirect: 'manual'` a redirect
 * is the answer.
 *
 * It throws RuntimeError: `address-refused`, `too-slow`, `too-large`, `server-failed`, `unreachable`; and the reason of the
 * signal when that is aborted. No message holds an address beyond its host, or a header.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const bounds = { ...USUAL, ...options.bounds };
  const agent = new Agent({
    connect: guardedConnector(options.connecting ?? {}, {
      allowLoopback: options.allowLoopback,
      pinned: options.pinned,
      timeoutMs: bounds.connectMs,
    }),
    headersTimeout: bounds.headersMs,
    bodyTimeout: bounds.silenceMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Before it is unpacked; what it unpacks to is counted as it comes.
    maxResponseSize: bounds.maxBytes,
  });

  async function follow(first: Outgoing, signal: AbortSignal, manual: boolean): Promise<Response> {
    for (let hop = first, redirects = 0; ; redirects += 1) {
      const response = await sendRequest(agent, hop, { signal, maxBytes: bounds.maxBytes });
      if (manual || !REDIRECTS.has(response.status) || !response.headers.has('location')) return response;
      await response.body?.cancel();
      if (redirects === MAX_REDIRECTS)
        throw new RuntimeError('server-failed', 'The server redirects without end.');
      hop = nextHop(hop, response, options);
    }
  }

  async function withinBounds(hop: Outgoing, init: RequestInit): Promise<Response> {
    const signal = init.signal ?? new AbortController().signal;
    try {
      return await follow(hop, signal, init.redirect === 'manual');
    } catch (error) {
      throw refusalOf(error, signal);
    }
  }

  async function guarded(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const first = firstHop(input, init, options);
    if (bounds.totalMs === Number.POSITIVE_INFINITY) return withinBounds(first, init);
    const { signal, done } = deadline(options.system, bounds.totalMs, init.signal);
    try {
      const response = await follow(first, signal, init.redirect === 'manual');
      return watchedBody(response, {
        onEnd: done,
        faultOf: (error) => refusalOf(error, signal),
      });
    } catch (error) {
      done();
      throw refusalOf(error, signal);
    }
  }
  return Object.assign(guarded as typeof fetch, { close: () => agent.destroy() });
}
