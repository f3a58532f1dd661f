import {
  AppDetail,
  CatalogPage,
  type CatalogQuery,
  ErrorEnvelope,
  KeyId,
  LIMITS,
  PublicKey,
  PublicKeys,
  RevocationList,
  Sha256,
  Signature,
  Timestamp,
} from '@svc/contracts';
import type { Release, ReleaseSignature } from '@svc/signing';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { type Body, readBody } from './read-body.ts';
import type { StorageFetch } from './storage-fetch.ts';
import { storeAddress } from './store-address.ts';
import { type Progress, retryWithBackoff, type Timeouts } from './transfer-timeouts.ts';

/** Names one version of an app. */
export type VersionRef = { appId: string; version: string };

/** A bundle as it arrived with the hash of its bytes, and what the store says of it. None of that is believed yet. */
export type Download = { bytes: Uint8Array; sha256: string; release: Release & ReleaseSignature };

/** What anybody may read of a store. Answers have the form of the contract; whether they are true is for others to find out. */
export type StoreReader = {
  /** Address of the store, without a slash at its end. */
  readonly store: string;
  search(query: CatalogQuery, signal?: AbortSignal): Promise<CatalogPage>;
  /** @param as with `html`, README and changelogs come as HTML too, which nobody has to believe either */
  detail(appId: string, signal?: AbortSignal, as?: { html: boolean }): Promise<AppDetail>;
  download(ref: VersionRef, signal?: AbortSignal): Promise<Download>;
  /** All keys of the store, oldest first; one that lists only its current key gives that. */
  keys(signal?: AbortSignal): Promise<PublicKeys['keys'] | [PublicKey]>;
  revocations(signal?: AbortSignal): Promise<RevocationList>;
};

export type StoreReaderDeps = {
  system: Pick<System, 'now' | 'sleep'>;
  fetch: typeof globalThis.fetch;
  /** Reads bundles from the storage behind the store, where it redirects to that; without it the store sends them itself. */
  storage?: StorageFetch | undefined;
  /** Address of the store: https, or http on this machine. */
  store: string;
  /** What the store counts installs by; see `installIdOf`. It goes with the request of a bundle alone. */
  installId: string;
  /**
   * The token of the user for this store, asked for once the store has said that members alone may read it; null when there is none. It goes
   * to the store and nowhere else.
   */
  token?: StoreToken | undefined;
};

/** Where a client has the token of its user for the store. */
export type StoreToken = () => string | null | Promise<string | null>;

/** RFC 9110 section 15.5.2: it wants to know who asks. */
const UNAUTHORIZED = 401;

/** RFC 9110 section 15.4.8: the bytes are elsewhere for now. A store answers so only a request with this header. */
const TEMPORARY_REDIRECT = 307;
const REDIRECT_HEADER = 'X-Svc-Redirect';

type Call = { headers?: Record<string, string>; signal?: AbortSignal | undefined };

/** A successful answer, read to its end. */
type StoreResponse = Body & { headers: Headers };

/** Anything that tells whether a value from outside is what it should be. */
type Schema<T> = { safeParse(value: unknown): { success: true; data: T } | { success: false } };

const SECOND = 1_000;
const TIMEOUTS: Timeouts = { total: 30 * SECOND, idle: 15 * SECOND };
const BUNDLE_TIMEOUTS: Timeouts = { total: 600 * SECOND, idle: 30 * SECOND };

/** Most bytes of JSON that are read. The longest honest answer is an app with a long README and many versions. */
const MAX_JSON = 16 * 1024 * 1024;

/** What a proxy answers when it gets no answer (RFC 9110 sections 15.6.3 to 15.6.5). */
const GATEWAY_FAULTS: ReadonlySet<number> = new Set([502, 503, 504]);

/** One step of a path. A dot or two would be read as a step upwards, not as a name. */
function segment(text: string): string {
  if (['', '.', '..'].includes(text)) throw new TypeError('An app id or a version is empty or made of dots.');
  return encodeURIComponent(text);
}

const versionPath = ({ appId, version }: VersionRef): string =>
  `/api/apps/${segment(appId)}/versions/${segment(version)}`;

const invalidResponse = (what: string, cause?: unknown): RuntimeError =>
  new RuntimeError('store-unreachable', `The store answers as no store does: ${what}.`, { cause });

/** What the store says of a bundle, in the headers of its answer. */
function releaseIn(headers: Headers, ref: VersionRef): Release & ReleaseSignature {
  const read = (name: string, schema: Schema<string>): string => {
    const parsed = schema.safeParse(headers.get(name));
    if (!parsed.success) throw invalidResponse(`the header ${name} is missing or malformed`);
    return parsed.data;
  };
  return {
    appId: ref.appId,
    version: ref.version,
    sha256: read('X-Svc-Sha256', Sha256),
    publishedAt: read('X-Svc-Published-At', Timestamp),
    signature: read('X-Svc-Signature', Signature),
    keyId: read('X-Svc-Key-Id', KeyId),
  };
}

function refusalOf(status: number, body: unknown): RuntimeError {
  const envelope = ErrorEnvelope.safeParse(body);
  if (!envelope.success) {
    if (GATEWAY_FAULTS.has(status)) return new RuntimeError('store-unreachable');
    return invalidResponse(`HTTP ${status} without an error of the API`);
  }
  const { code, message, requestId, retryAfter } = envelope.data;
  const detail = { status, code, requestId, ...(retryAfter !== undefined && { retryAfter }) };
  return new RuntimeError(code === 'yanked' ? 'withdrawn' : 'store-refused', message, { detail });
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw invalidResponse('it is not JSON', error);
  }
}

/** Each member of a query that says something. */
const queryOf = (query: CatalogQuery): URLSearchParams =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );

/**
 * Reads a store. Redirects are refused but for the bytes of a bundle, bodies are bounded, and what stands still is given up.
 * @throws TypeError for an address that is none of a store; each of its functions throws a RuntimeError:
 *   `store-unreachable`, `store-refused`, `withdrawn`, `too-large`, `too-slow`
 */
export function createStoreReader({
  system,
  fetch,
  installId,
  storage,
  token,
  ...given
}: StoreReaderDeps): StoreReader {
  const store = storeAddress(given.store);

  let isPrivate = false;
  let isStorageReachable = storage !== undefined;

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

  /** A store that everybody may read never gets the token. */
  async function request(
    path: string,
    signal: AbortSignal,
    headers: Record<string, string>,
  ): Promise<Response> {
    const response = await requestOnce(path, signal, { ...headers, ...(await authorization()) });
    if (response.status !== UNAUTHORIZED || isPrivate || !token) return response;
    await response.body?.cancel();
    isPrivate = true;
    return requestOnce(path, signal, { ...headers, ...(await authorization()) });
  }

  /** Reads an answer to its end. What breaks on the way is no answer. */
  async function readResponse(
    response: Response,
    maxBytes: number,
    progress: Progress,
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
      response.status,
      safely(() => parseJson(body.bytes)),
    );
  }

  /** The value as the store sent it: checked, and not stripped of what a newer store may say besides. */
  async function json<T>(path: string, schema: Schema<T>, call: Call): Promise<T> {
    const { bytes } = await retryWithBackoff(system, TIMEOUTS, call.signal, async (live, progress) =>
      readResponse(await request(path, live, { Accept: 'application/json' }), MAX_JSON, progress),
    );
    const value = parseJson(bytes);
    if (!schema.safeParse(value).success) throw invalidResponse('it is not in the form of the API');
    return value as T;
  }

  async function detail(appId: string, signal?: AbortSignal, { html } = { html: false }): Promise<AppDetail> {
    const app = await json(`/api/apps/${segment(appId)}${html ? '?html=1' : ''}`, AppDetail, { signal });
    if (app.appId !== appId) throw invalidResponse('it tells of another app than it was asked for');
    return app;
  }

  /**
   * The bytes that a redirect leads to. Null when they cannot be had there: a proxy, a network or a clock can be in the way of one
   * client, and the store then sends them itself, from that moment on.
   */
  async function readStorage(answer: Response, live: AbortSignal, progress: Progress): Promise<Body | null> {
    await answer.body?.cancel();
    try {
      const address = answer.headers.get('location') ?? '';
      return (
        (await storage?.(address, live, (found) => readBody(found, LIMITS.bundle.bytes, progress))) ?? null
      );
    } catch {
      live.throwIfAborted();
      isStorageReachable = false;
      return null;
    }
  }

  async function readBundle(path: string, live: AbortSignal, progress: Progress): Promise<StoreResponse> {
    const headers = { Accept: 'application/zip', 'X-Svc-Install-Id': installId };
    if (isStorageReachable) {
      const answer = await request(path, live, { ...headers, [REDIRECT_HEADER]: '1' });
      if (answer.status !== TEMPORARY_REDIRECT) return readResponse(answer, LIMITS.bundle.bytes, progress);
      const body = await readStorage(answer, live, progress);
      if (body) return { ...body, headers: answer.headers };
    }
    return readResponse(await request(path, live, headers), LIMITS.bundle.bytes, progress);
  }

  async function download(ref: VersionRef, signal?: AbortSignal): Promise<Download> {
    const path = `${versionPath(ref)}/bundle`;
    const { bytes, sha256, headers } = await retryWithBackoff(
      system,
      BUNDLE_TIMEOUTS,
      signal,
      (live, progress) => readBundle(path, live, progress),
    );
    return { bytes, sha256, release: releaseIn(headers, ref) };
  }

  async function keys(signal?: AbortSignal) {
    try {
      return (await json('/api/apps/public-keys', PublicKeys, { signal })).keys;
    } catch (error) {
      const isUnknown = error instanceof RuntimeError && error.detail.code === 'not_found';
      if (!isUnknown) throw error;
      const current = await json('/api/apps/public-key', PublicKey, { signal });
      return [current] as [PublicKey];
    }
  }

  return {
    store,
    detail,
    download,
    keys,
    search: (query, signal) => json(`/api/apps/catalog?${queryOf(query)}`, CatalogPage, { signal }),
    revocations: (signal) => json('/api/apps/revocations', RevocationList, { signal }),
  };
}

/** Undefined in place of an error: what an error page holds does not matter. */
function safely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
