import { causesOf } from '@svc/contracts/causes';
import { isThisMachine } from '@svc/contracts/this-machine';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { allowedUrl, type Connecting, guardedConnector, type Reach, redirectTarget } from './connector.ts';
import { openSender } from './network.ts';
import { type Outgoing, watchedBody } from './send-request.ts';

/** The limits of one request. Times are in milliseconds. */
export type Bounds = {
  connectMs: number;
  /** Until the response headers arrive. */
  headersMs: number;
  /** Between two chunks of the body. */
  silenceMs: number;
  /** From the first connection to the last byte, including redirects; Infinity where the signal of each request is the limit. */
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
  /** Timers; without them only the timeouts of the connection apply, and a body that arrives slowly is not aborted. */
  system: Pick<System, 'sleep'>;
  bounds?: Partial<Bounds>;
  connecting?: Connecting;
  /** Further headers that are only for `home`, in lower case. */
  personal?: readonly string[];
};

/** A `fetch` limited to allowed hosts. `close` closes its connections. */
export type GuardedFetch = typeof fetch & { close(): Promise<void> };

/** Headers with credentials or personal data: they are only for the server they were set for. */
const isPersonal = (name: string): boolean =>
  name === 'traceparent' ||
  name === 'authorization' ||
  name === 'cookie' ||
  name === 'mcp-session-id' ||
  name.startsWith('x-svc-');

function withoutPersonal(headers: Headers, { personal = [] }: GuardedFetchOptions): Headers {
  const remaining = new Headers(headers);
  for (const name of [...remaining.keys()])
    if (isPersonal(name) || personal.includes(name)) remaining.delete(name);
  return remaining;
}

/** The request that follows a redirect. The method never changes: otherwise the body of a POST would be lost unnoticed. */
function nextHop(hop: Outgoing, response: Response, options: GuardedFetchOptions): Outgoing {
  const url = allowedUrl(redirectTarget(response, hop.url) ?? '', options);
  // A remote server must not send requests into this machine, even where the app itself may access it.
  if (isThisMachine(url.hostname) && !isThisMachine(hop.url.hostname)) {
    throw new RuntimeError('address-refused', 'A remote server redirects to this machine.');
  }
  const keeps =
    response.status === 307 || response.status === 308 || hop.method === 'GET' || hop.method === 'HEAD';
  if (!keeps)
    throw new RuntimeError('server-failed', 'The server’s redirect would change the request method.');
  const isSame = url.origin === hop.url.origin;
  return { ...hop, url, headers: isSame ? hop.headers : withoutPersonal(hop.headers, options) };
}

/** Returns the `RuntimeError` inside an error of undici. Other errors are described without the URL, which may contain a secret. */
export function refusalOf(error: unknown, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  for (const cause of causesOf(error)) {
    if (cause instanceof RuntimeError) return cause;
    const code = String(cause.code);
    if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return new RuntimeError('too-large');
    if (code.includes('TIMEOUT')) return new RuntimeError('too-slow', 'The server does not answer in time.');
    if (code === 'UND_ERR_HEADERS_OVERFLOW') return new RuntimeError('too-large', 'The header is too large.');
  }
  return new RuntimeError('unreachable');
}

function bodyText(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('The guarded fetch sends only strings and forms.');
}

/** With the headers of a trace, if there is one. */
function traced(headers: Headers, trace: Readonly<Record<string, string>> = {}): Headers {
  const added = Object.entries(trace);
  if (added.length === 0) return headers;
  const all = new Headers(headers);
  for (const [name, value] of added) all.set(name, value);
  return all;
}

function firstHop(input: string | URL | Request, init: RequestInit, options: GuardedFetchOptions): Outgoing {
  if (input instanceof Request)
    throw new TypeError('The guarded fetch takes a URL and options, not a Request.');
  const url = allowedUrl(input, options);
  const isForm = init.body instanceof URLSearchParams;
  // Headers are changed only here, and so copied only for it.
  const headers = init.headers instanceof Headers && !isForm ? init.headers : new Headers(init.headers);
  if (isForm && !headers.has('content-type'))
    headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
  const atHome = options.home === undefined || url.origin === options.home;
  const allowed = atHome ? headers : withoutPersonal(headers, options);
  return {
    url,
    method: (init.method ?? 'GET').toUpperCase(),
    headers: traced(allowed, options.connecting?.trace?.()),
    body: bodyText(init.body),
  };
}

/** One shared instance: creating an error for each request costs more than the rest of a deadline. */
const OVER = new Error('The request is over.');

/** Aborts after a time, or with another signal; `done` stops the timer. */
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
 * Creates a `fetch` for one app: it requests allowed hosts only, over https, at public addresses whatever a name resolves to,
 * applies the same rules to redirects, and limits time and size. `Authorization`, cookies and `X-Svc-*` headers are sent only to the
 * app's `home` if there is one, and are dropped on a redirect to another origin. With `redirect: 'manual'` a redirect is returned
 * as the response. With a `network` in `connecting` that sends the requests, and decides which addresses a name may have.
 *
 * Throws a RuntimeError `address-refused`, `too-slow`, `too-large`, `server-failed` or `unreachable`, or the reason of the signal
 * when that is aborted. Messages contain at most the host of a URL, and no header.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const bounds = { ...USUAL, ...options.bounds };
  const { connecting = {}, allowLoopback, pinned } = options;
  const limits = {
    connect: guardedConnector(connecting, { allowLoopback, pinned, timeoutMs: bounds.connectMs }),
    connectTimeout: bounds.connectMs,
    headersTimeout: bounds.headersMs,
    bodyTimeout: bounds.silenceMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Limits the compressed body; `sendRequest` limits the decompressed one.
    maxResponseSize: bounds.maxBytes,
  };
  // Only a connection of this process is certain to reach the address that the user agreed to.
  const sender = openSender(pinned ? undefined : connecting.network, { limits, ca: connecting.ca });

  async function follow(first: Outgoing, signal: AbortSignal, manual: boolean): Promise<Response> {
    for (let hop = first, redirects = 0; ; redirects += 1) {
      const response = await sender.send(hop, { signal, maxBytes: bounds.maxBytes });
      if (manual || !REDIRECTS.has(response.status) || !response.headers.has('location')) return response;
      await response.body?.cancel();
      if (redirects === MAX_REDIRECTS)
        throw new RuntimeError('server-failed', 'The server redirects too often.');
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
  return Object.assign(guarded as typeof fetch, { close: () => sender.close() });
}
