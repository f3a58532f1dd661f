import { ErrorEnvelope } from '@svc/contracts';
import type { ApiRequest } from '@svc/contracts/client';
import { ANSWERS } from '../network/read-answer.ts';
import { retryAfterIn } from '../platform/pause-before.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { type TimeBounds, type TimeLimit, withinLimit } from '../platform/within-time.ts';
import { type Body, invalidResponse, parseJson, readBody } from './read-json.ts';

/** Returns the user's token for the store. */
export type StoreToken = () => string | null | Promise<string | null>;

type RequestDeps = {
  system: Pick<System, 'now' | 'sleep'>;
  fetch: typeof globalThis.fetch;
  /** URL of the store, without a trailing slash. */
  store: string;
  token: StoreToken | undefined;
};

/** RFC 9110 section 15.5.2. */
const UNAUTHORIZED = 401;

/** RFC 9110 section 15.5.5. */
const NOT_FOUND = 404;

/** RFC 9110 section 15.4.5: the representation with this ETag is still the current one. */
const NOT_MODIFIED = 304;

/** Asks a store for a redirect instead of the bytes. A store sends a redirect only for requests with this header. */
export const REDIRECT_HEADER = 'X-Svc-Redirect';

/** A successful response with its whole body. */
export type StoreResponse = Body & { headers: Headers };

const SECOND = 1_000;
const TIMEOUTS: TimeBounds = { maxMs: 30 * SECOND, ms: 15 * SECOND };

/** Maximum size of a JSON response, in bytes. The largest valid one is an app with a long README and many versions. */
export const MAX_JSON = ANSWERS.store.maxBytes;

/** Statuses of a proxy without a response of the store (RFC 9110 sections 15.6.3 to 15.6.5). */
const GATEWAY_FAULTS: ReadonlySet<number> = new Set([502, 503, 504]);

function refusalOf({ status, headers }: Response, body: unknown): RuntimeError {
  const asked = retryAfterIn(headers);
  const envelope = ErrorEnvelope.safeParse(body);
  if (!envelope.success) {
    if (GATEWAY_FAULTS.has(status))
      return new RuntimeError('store-unreachable', undefined, {
        detail: { ...(asked !== null && { retryAfter: asked }) },
      });
    // A store of others answers so where it has no such route.
    if (status === NOT_FOUND)
      return new RuntimeError('store-refused', 'The store has nothing at this address (HTTP 404).', {
        detail: { status, code: 'not_found' },
      });
    return invalidResponse(`HTTP ${status} without an error of the API`);
  }
  const { code, message, requestId, retryAfter = asked ?? undefined } = envelope.data;
  const detail = { status, code, requestId, ...(retryAfter !== undefined && { retryAfter }) };
  if (code === 'unauthorized') return new RuntimeError('sign-in-needed');
  return new RuntimeError(code === 'yanked' ? 'yanked' : 'store-refused', message, { detail });
}

/** Creates the requests to a store. They follow no redirect, bodies are bounded, and stalled transfers are aborted. */
export function createStoreRequests({ system, fetch, store, token }: RequestDeps) {
  let isPrivate = false;

  /** Runs a transfer within time: a stalling server could otherwise prevent a client from ever receiving an update. */
  async function timed<T>(
    bounds: TimeBounds,
    signal: AbortSignal = AbortSignal.any([]),
    work: (signal: AbortSignal, progress: TimeLimit) => Promise<T>,
  ): Promise<T> {
    try {
      return await withinLimit(system, bounds, signal, work);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  async function requestOnce(
    path: string,
    signal: AbortSignal,
    headers: Record<string, string>,
  ): Promise<Response> {
    const redirect = REDIRECT_HEADER in headers ? 'manual' : 'error';
    try {
      return await fetch(store + path, { headers, redirect, credentials: 'omit', signal });
    } catch (cause) {
      throw new RuntimeError('store-unreachable', undefined, { cause });
    }
  }

  async function authorization(): Promise<Record<string, string>> {
    const bearer = isPrivate ? await token?.() : null;
    return bearer ? { Authorization: `Bearer ${bearer}` } : {};
  }

  /** Sends the token only after a 401: a public store never gets it. Of simultaneous first requests each is sent again. */
  async function request(
    path: string,
    signal: AbortSignal,
    headers: Record<string, string>,
  ): Promise<Response> {
    const sent = await authorization();
    const response = await requestOnce(path, signal, { ...headers, ...sent });
    if (response.status !== UNAUTHORIZED || sent.Authorization) return response;
    isPrivate = true;
    const own = await authorization();
    if (!own.Authorization) return response;
    await response.body?.cancel();
    return requestOnce(path, signal, { ...headers, ...own });
  }

  async function readResponse(
    response: Response,
    maxBytes: number,
    progress: TimeLimit,
  ): Promise<StoreResponse> {
    const body = await readBody(response, response.ok ? maxBytes : MAX_JSON, progress).catch(
      (cause: unknown) => {
        throw cause instanceof RuntimeError
          ? cause
          : new RuntimeError('store-unreachable', undefined, { cause });
      },
    );
    if (response.ok) return { ...body, headers: response.headers };
    throw refusalOf(
      response,
      safely(() => parseJson(body.bytes)),
    );
  }

  /** Sends a request, and reads its response. */
  const read = (
    path: string,
    { accept, maxBytes, signal }: { accept: string; maxBytes: number; signal: AbortSignal | undefined },
  ): Promise<StoreResponse> =>
    timed(TIMEOUTS, signal, async (live, progress) =>
      readResponse(await request(path, live, { Accept: accept }), maxBytes, progress),
    );

  /** A JSON value, including unknown fields of newer stores. */
  async function json<T>(
    { path }: ApiRequest<T>,
    parse: (value: unknown) => T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { bytes } = await read(path, { accept: 'application/json', maxBytes: MAX_JSON, signal });
    return parse(parseJson(bytes));
  }

  /** A JSON value, unless the store still serves the one that the caller has. */
  async function jsonSince<T>(
    { path }: ApiRequest<T>,
    parse: (value: unknown) => T,
    { known, signal }: { known: string | null; signal?: AbortSignal | undefined },
  ): Promise<{ value: T; tag: string | null } | null> {
    const headers = { Accept: 'application/json', ...(known !== null && { 'If-None-Match': known }) };
    const answer = await timed(TIMEOUTS, signal, async (live, progress) => {
      const response = await request(path, live, headers);
      if (known === null || response.status !== NOT_MODIFIED)
        return readResponse(response, MAX_JSON, progress);
      await response.body?.cancel();
      return null;
    });
    return answer && { value: parse(parseJson(answer.bytes)), tag: answer.headers.get('ETag') };
  }

  return { request, readResponse, timed, read, json, jsonSince };
}

/** The requests to one store, and how their responses are read. */
export type StoreRequests = ReturnType<typeof createStoreRequests>;

/** Returns undefined instead of throwing. */
function safely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
