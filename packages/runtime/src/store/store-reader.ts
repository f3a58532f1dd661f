import {
  AppDetail,
  AppHead,
  CatalogPage,
  type CatalogQuery,
  Deprecations,
  ErrorEnvelope,
  KeyId,
  LIMITS,
  PublicKey,
  PublicKeys,
  RevocationHead,
  RevocationList,
  type RevocationSegment,
  Sha256,
  Signature,
  SignedManagedSettings,
  Timestamp,
} from '@svc/contracts';
import { type ApiRequest, apiRequest } from '@svc/contracts/client';
import { storeAddress } from '@svc/contracts/store-address';
import { originIn, type Release, type ReleaseSignature } from '@svc/signing';
import { z } from 'zod';
import { ANSWERS } from '../network/read-answer.ts';
import { retryAfterIn } from '../platform/pause-before.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { type TimeBounds, type TimeLimit, withinLimit } from '../platform/within-time.ts';
import { type Body, invalidResponse, listingOf, parseJson, readBody, signedOf } from './read-json.ts';
import type { StorageFetch } from './store-fetch.ts';

/** A version of an app. */
export type VersionRef = { appId: string; version: string };

/** A downloaded bundle, its hash, and the unverified signed facts of the store. */
export type Download = {
  bytes: Uint8Array;
  sha256: string;
  release: Release & ReleaseSignature;
  /** The statement from which other store the version comes, not verified; undefined where the store sent none. */
  origin?: unknown;
};

/** A bitmap, and its type. */
type StorePicture = { type: string; bytes: Uint8Array };

/** A revocation list, and the ETag with which the store served it, if any. */
export type TaggedList = { list: RevocationList; tag: string | null };

/** The head of a revocation list, and its ETag. */
export type TaggedHead = { head: RevocationHead; tag: string | null };

/** Which version must be in the log, by default the latest, and the size of the log that the client knows. */
export type LoggedQuery = { version?: string | undefined; size: number };

/** Reads a store. Responses match the schema of the API; their signatures are not verified here. */
export type StoreReader = {
  /** URL of the store, without a trailing slash. */
  readonly store: string;
  /** The page on which the user rates an app. The installation is in the fragment, which browsers do not send. */
  ratingPage(appId: string): string;
  search(query: CatalogQuery, signal?: AbortSignal): Promise<CatalogPage>;
  /** @param as with `html`, README and changelogs are included as HTML, which must be sanitised */
  detail(appId: string, signal?: AbortSignal, as?: { html: boolean }): Promise<AppDetail>;
  /** What is said of those of some apps that should not be used any more. */
  deprecations(appIds: readonly string[], signal?: AbortSignal): Promise<Deprecations['apps']>;
  download(ref: VersionRef, signal?: AbortSignal): Promise<Download>;
  /** All keys of the store, oldest first; only the current one for stores that do not list others. */
  keys(signal?: AbortSignal): Promise<PublicKeys['keys'] | [PublicKey]>;
  revocations(signal?: AbortSignal): Promise<RevocationList>;
  /**
   * The list with its ETag (RFC 9110 section 8.8.3).
   * @param known the ETag of a list that the caller has; null is returned while the store still serves that one
   */
  revocationsSince(known: string | null, signal?: AbortSignal): Promise<TaggedList | null>;
  /** The same list in parts, as `revocationsSince`. @throws RuntimeError `store-refused` with the code `not_found` where a store does not serve it */
  revocationHeadSince(known: string | null, signal?: AbortSignal): Promise<TaggedHead | null>;
  /**
   * A segment of the list.
   * @returns its text, which has the hash that is its name
   * @throws RuntimeError `not-verified` for another text; `too-large`
   */
  revocationSegment(segment: RevocationSegment, signal?: AbortSignal): Promise<string>;
  /**
   * What the store says has happened to its apps, oldest first. Nothing of it is signed.
   * @param since `next` of the last answer; null for the beginning
   * @returns null when the store answers that it has no events
   */
  eventsSince(since: string | null, signal?: AbortSignal): Promise<UpstreamEvents | null>;
  /** The head of an app with its versions; null when the store answers that it has none, as older stores do. */
  head(appId: string, signal?: AbortSignal, logged?: LoggedQuery): Promise<AppHead | null>;
  /** A tile of the log of the store, not verified yet. @param path as `tilePath` names it */
  logTile(path: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** Tells the store of a checkpoint of its log. */
  reportCheckpoint(checkpoint: string, signal?: AbortSignal): Promise<void>;
  /**
   * A picture that a listing names, as the store draws it: a bitmap. No signature covers it.
   * @throws RuntimeError `store-refused` with the code `not_found` for the address of anything else
   */
  picture(url: string, signal?: AbortSignal): Promise<StorePicture>;
  /** What the company of the store sets for all desktops, not verified yet. */
  managed(signal?: AbortSignal): Promise<SignedManagedSettings>;
  /** The record of the tools of a version's server, not verified yet; null when the store answers that it has none. */
  toolRecord(ref: VersionRef, signal?: AbortSignal): Promise<unknown>;
};

/** Events of a store, of which some may be of kinds that this version does not know. */
const Events = z.object({
  events: z
    .array(z.object({ type: z.string(), data: z.object({ appId: z.string().nullable() }) }))
    .max(LIMITS.events.page),
  next: z.string().regex(/^\d{1,15}$/),
});
export type UpstreamEvents = z.infer<typeof Events>;

export type StoreReaderDeps = {
  system: Pick<System, 'now' | 'sleep'>;
  fetch: typeof globalThis.fetch;
  /** Downloads bundles from the storage that the store redirects to; without it the store sends them. */
  storage?: StorageFetch | undefined;
  /** URL of the store: https, or http on this machine. */
  store: string;
  /** Id by which the store counts installs; see `installIdOf`. Sent only with requests for bundles. */
  installId: string;
  /**
   * The user's token for this store, requested after the store answered 401; null when there is none. It is sent to the store only.
   */
  token?: StoreToken | undefined;
};

/** Returns the user's token for the store. */
export type StoreToken = () => string | null | Promise<string | null>;

/** RFC 9110 section 15.5.2. */
const UNAUTHORIZED = 401;

/** RFC 9110 section 15.5.5. */
const NOT_FOUND = 404;

/** RFC 9110 section 15.4.5: the representation with this ETag is still the current one. */
const NOT_MODIFIED = 304;

/** RFC 9110 section 15.4.8: the bytes are at another URL. A store sends it only for requests with this header. */
const TEMPORARY_REDIRECT = 307;
const REDIRECT_HEADER = 'X-Svc-Redirect';

type Call = { headers?: Record<string, string>; signal?: AbortSignal | undefined };

/** A successful response with its whole body. */
type StoreResponse = Body & { headers: Headers };

/** A validator of external values. */
type Schema<T> = { safeParse(value: unknown): { success: true; data: T } | { success: false } };

const SECOND = 1_000;
const TIMEOUTS: TimeBounds = { maxMs: 30 * SECOND, ms: 15 * SECOND };
const BUNDLE_TIMEOUTS: TimeBounds = { maxMs: 600 * SECOND, ms: 30 * SECOND };

/** Maximum size of a JSON response, in bytes. The largest valid one is an app with a long README and many versions. */
const MAX_JSON = ANSWERS.store.maxBytes;

/** Bytes of a tile of hashes: 256 of 32 bytes. */
const TILE_BYTES = 8_192;

/** The pictures of versions. */
const PICTURE = /^\/api\/apps\/[^/]+\/versions\/[^/]+\/files\/./;

/** What a store draws. */
const DRAWN: ReadonlySet<string> = new Set(['image/png', 'image/webp']);

/** Most apps in one question. */
const MAX_ASKED = 100;

/** Statuses of a proxy without a response of the store (RFC 9110 sections 15.6.3 to 15.6.5). */
const GATEWAY_FAULTS: ReadonlySet<number> = new Set([502, 503, 504]);

/** The signed facts of a bundle, from the response headers. */
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

/** What a store answers; null where it has no such route, or nothing at it. */
const orNull = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error: unknown) => {
    if (error instanceof RuntimeError && error.detail.code === 'not_found') return null;
    throw error;
  });

/**
 * Creates the reader of a store. Redirects are refused except for bundles, bodies are bounded, and stalled transfers are aborted.
 * @throws TypeError for an invalid store URL; each method rejects with a RuntimeError:
 *   `store-unreachable`, `store-refused`, `sign-in-needed`, `yanked`, `too-large`, `too-slow`
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

  /** A JSON value, including unknown fields of newer stores. */
  async function json<T>({ path }: ApiRequest<T>, read: (value: unknown) => T, call: Call): Promise<T> {
    const { bytes } = await timed(TIMEOUTS, call.signal, async (live, progress) =>
      readResponse(await request(path, live, { Accept: 'application/json' }), MAX_JSON, progress),
    );
    return read(parseJson(bytes));
  }

  async function detail(appId: string, signal?: AbortSignal, { html } = { html: false }): Promise<AppDetail> {
    const query = html ? { html: '1' as const } : {};
    const app = await json(
      apiRequest('GET /api/apps/:appId', { params: { appId }, query }),
      listingOf<AppDetail>(AppDetail),
      { signal },
    );
    if (app.appId !== appId) throw invalidResponse('it describes another app');
    return app;
  }

  async function deprecations(appIds: readonly string[], signal?: AbortSignal) {
    const found: Deprecations['apps'] = [];
    for (let at = 0; at < appIds.length; at += MAX_ASKED) {
      const query = { apps: appIds.slice(at, at + MAX_ASKED).join(',') };
      const read = listingOf<Deprecations>(Deprecations);
      found.push(...(await json(apiRequest('GET /api/apps/deprecations', { query }), read, { signal })).apps);
    }
    return found;
  }

  /**
   * Downloads from the storage that the store redirects to. Null when it cannot be reached, for example because of a proxy or a wrong
   * clock; from then on the store sends the bytes itself.
   */
  async function readStorage(answer: Response, live: AbortSignal, progress: TimeLimit): Promise<Body | null> {
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

  async function readBundle(path: string, live: AbortSignal, progress: TimeLimit): Promise<StoreResponse> {
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
    const { path } = apiRequest('GET /api/apps/:appId/versions/:version/bundle', { params: ref });
    const { bytes, sha256, headers } = await timed(BUNDLE_TIMEOUTS, signal, (live, progress) =>
      readBundle(path, live, progress),
    );
    return { bytes, sha256, release: releaseIn(headers, ref), origin: originIn(headers) };
  }

  function head(appId: string, signal?: AbortSignal, logged?: LoggedQuery): Promise<AppHead | null> {
    const query = {
      list: '1' as const,
      ...(logged && { log: String(logged.size) }),
      ...(logged?.version !== undefined && { version: logged.version }),
    };
    const request = apiRequest('GET /api/apps/:appId/head', { params: { appId }, query });
    return orNull(json(request, signedOf(AppHead), { signal }));
  }

  function eventsSince(since: string | null, signal?: AbortSignal): Promise<UpstreamEvents | null> {
    const { path } = apiRequest('GET /api/events', { query: since === null ? {} : { since } });
    return orNull(json<UpstreamEvents>({ path } as ApiRequest<UpstreamEvents>, signedOf(Events), { signal }));
  }

  async function logTile(path: string, signal?: AbortSignal): Promise<Uint8Array> {
    const { bytes } = await timed(TIMEOUTS, signal, async (live, progress) =>
      readResponse(await request(`/${path}`, live, { Accept: '*/*' }), TILE_BYTES, progress),
    );
    return bytes;
  }

  async function reportCheckpoint(checkpoint: string, signal?: AbortSignal): Promise<void> {
    const request = apiRequest('GET /api/log/compare', { query: { checkpoint } });
    await json(request, (value): unknown => value, { signal });
  }

  /** The path of the drawing of a picture; null for the address of anything else. */
  function drawingOf(url: string): string | null {
    const address = url.startsWith(`${store}/`) ? URL.parse(url.slice(store.length), store) : null;
    if (!address || !PICTURE.test(address.pathname)) return null;
    address.searchParams.set('raster', '');
    return address.pathname + address.search;
  }

  async function picture(url: string, signal?: AbortSignal): Promise<StorePicture> {
    const path = drawingOf(url);
    const found =
      path !== null &&
      (await timed(TIMEOUTS, signal, async (live, progress) =>
        readResponse(await request(path, live, { Accept: 'image/*' }), MAX_JSON, progress),
      ));
    const type = found ? (found.headers.get('content-type') ?? '') : '';
    if (found && DRAWN.has(type)) return { type, bytes: found.bytes };
    throw new RuntimeError('store-refused', 'The store has no such picture.', {
      detail: { code: 'not_found' },
    });
  }

  function toolRecord({ appId, version }: VersionRef, signal?: AbortSignal): Promise<unknown> {
    const params = { appId, version };
    const request = apiRequest('GET /api/apps/:appId/versions/:version/tools', {
      params,
      query: { reviewed: '1' },
    });
    return orNull(json(request, (value): unknown => value, { signal }));
  }

  async function keys(signal?: AbortSignal) {
    const listed = json(apiRequest('GET /api/apps/public-keys'), signedOf(PublicKeys), { signal });
    const all = (await orNull(listed))?.keys;
    if (all) return all;
    const current = await json(apiRequest('GET /api/apps/public-key'), signedOf(PublicKey), { signal });
    return [current] as [PublicKey];
  }

  /** A signed value, unless the store still serves the one that the caller has. */
  async function since<T>(
    { path }: ApiRequest<T>,
    read: (value: unknown) => T,
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
    return answer && { value: read(parseJson(answer.bytes)), tag: answer.headers.get('ETag') };
  }

  async function revocationSegment({ sha256, bytes }: RevocationSegment, signal?: AbortSignal) {
    const { path } = apiRequest('GET /api/revocations/segments/:sha256', { params: { sha256 } });
    const body = await timed(TIMEOUTS, signal, async (live, progress) =>
      readResponse(await request(path, live, { Accept: 'application/json' }), bytes, progress),
    );
    if (body.sha256 === sha256) return new TextDecoder().decode(body.bytes);
    throw new RuntimeError(
      'not-verified',
      'A segment of the revocation list is not the one that its name says.',
    );
  }

  return {
    store,
    ratingPage: (appId) =>
      `${store}/account/apps/${encodeURIComponent(appId)}/review#install=${encodeURIComponent(installId)}`,
    detail,
    deprecations,
    download,
    keys,
    eventsSince,
    head,
    logTile,
    reportCheckpoint,
    toolRecord,
    picture,
    managed: (signal) =>
      json(apiRequest('GET /api/managed-settings'), signedOf(SignedManagedSettings), { signal }),
    search: (query, signal) =>
      json(apiRequest('GET /api/apps/catalog', { query }), listingOf<CatalogPage>(CatalogPage), { signal }),
    async revocationsSince(known, signal) {
      const request = apiRequest('GET /api/apps/revocations');
      const found = await since(request, signedOf(RevocationList), { known, signal });
      return found && { list: found.value, tag: found.tag };
    },
    async revocationHeadSince(known, signal) {
      const request = apiRequest('GET /api/revocations/head');
      const found = await since(request, signedOf(RevocationHead), { known, signal });
      return found && { head: found.value, tag: found.tag };
    },
    revocationSegment,
    revocations: (signal) =>
      json(apiRequest('GET /api/apps/revocations'), signedOf(RevocationList), { signal }),
  };
}

/** Returns undefined instead of throwing. */
function safely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
