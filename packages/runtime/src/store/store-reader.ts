import {
  AppDetail,
  AppHead,
  CatalogPage,
  type CatalogQuery,
  Deprecations,
  LIMITS,
  PublicKey,
  PublicKeys,
  RevocationHead,
  RevocationList,
  type RevocationSegment,
  SignedManagedSettings,
} from '@svc/contracts';
import { type ApiRequest, apiRequest } from '@svc/contracts/client';
import { storeAddress } from '@svc/contracts/store-address';
import { z } from 'zod';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { createDownload, type Download, type VersionRef } from './download-bundle.ts';
import { invalidResponse, listingOf, signedOf } from './read-json.ts';
import type { StorageFetch } from './store-fetch.ts';
import { createStoreRequests, MAX_JSON, type StoreToken } from './store-requests.ts';

export type { Download, StoreToken, VersionRef };

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

/** Bytes of a tile of hashes: 256 of 32 bytes. */
const TILE_BYTES = 8_192;

/** The pictures of versions. */
const PICTURE = /^\/api\/apps\/[^/]+\/versions\/[^/]+\/files\/./;

/** What a store draws. */
const DRAWN: ReadonlySet<string> = new Set(['image/png', 'image/webp']);

/** Most apps in one question. */
const MAX_ASKED = 100;

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

  const requests = createStoreRequests({ system, fetch, store, token });
  const { read, json, jsonSince } = requests;
  const download = createDownload(requests, { storage, installId });

  async function detail(appId: string, signal?: AbortSignal, { html } = { html: false }): Promise<AppDetail> {
    const query = html ? { html: '1' as const } : {};
    const app = await json(
      apiRequest('GET /api/apps/:appId', { params: { appId }, query }),
      listingOf<AppDetail>(AppDetail),
      signal,
    );
    if (app.appId !== appId) throw invalidResponse('it describes another app');
    return app;
  }

  async function deprecations(appIds: readonly string[], signal?: AbortSignal) {
    const found: Deprecations['apps'] = [];
    for (let at = 0; at < appIds.length; at += MAX_ASKED) {
      const query = { apps: appIds.slice(at, at + MAX_ASKED).join(',') };
      const request = apiRequest('GET /api/apps/deprecations', { query });
      found.push(...(await json(request, listingOf<Deprecations>(Deprecations), signal)).apps);
    }
    return found;
  }

  function head(appId: string, signal?: AbortSignal, logged?: LoggedQuery): Promise<AppHead | null> {
    const query = {
      list: '1' as const,
      ...(logged && { log: String(logged.size) }),
      ...(logged?.version !== undefined && { version: logged.version }),
    };
    const request = apiRequest('GET /api/apps/:appId/head', { params: { appId }, query });
    return orNull(json(request, signedOf(AppHead), signal));
  }

  function eventsSince(since: string | null, signal?: AbortSignal): Promise<UpstreamEvents | null> {
    const { path } = apiRequest('GET /api/events', { query: since === null ? {} : { since } });
    return orNull(json<UpstreamEvents>({ path } as ApiRequest<UpstreamEvents>, signedOf(Events), signal));
  }

  async function logTile(path: string, signal?: AbortSignal): Promise<Uint8Array> {
    const { bytes } = await read(`/${path}`, { accept: '*/*', maxBytes: TILE_BYTES, signal });
    return bytes;
  }

  async function reportCheckpoint(checkpoint: string, signal?: AbortSignal): Promise<void> {
    const request = apiRequest('GET /api/log/compare', { query: { checkpoint } });
    await json(request, (value): unknown => value, signal);
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
    const found = path !== null && (await read(path, { accept: 'image/*', maxBytes: MAX_JSON, signal }));
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
    return orNull(json(request, (value): unknown => value, signal));
  }

  async function keys(signal?: AbortSignal) {
    const listed = json(apiRequest('GET /api/apps/public-keys'), signedOf(PublicKeys), signal);
    const all = (await orNull(listed))?.keys;
    if (all) return all;
    const current = await json(apiRequest('GET /api/apps/public-key'), signedOf(PublicKey), signal);
    return [current] as [PublicKey];
  }

  async function revocationSegment({ sha256, bytes }: RevocationSegment, signal?: AbortSignal) {
    const { path } = apiRequest('GET /api/revocations/segments/:sha256', { params: { sha256 } });
    const body = await read(path, { accept: 'application/json', maxBytes: bytes, signal });
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
      json(apiRequest('GET /api/managed-settings'), signedOf(SignedManagedSettings), signal),
    search: (query, signal) =>
      json(apiRequest('GET /api/apps/catalog', { query }), listingOf<CatalogPage>(CatalogPage), signal),
    async revocationsSince(known, signal) {
      const request = apiRequest('GET /api/apps/revocations');
      const found = await jsonSince(request, signedOf(RevocationList), { known, signal });
      return found && { list: found.value, tag: found.tag };
    },
    async revocationHeadSince(known, signal) {
      const request = apiRequest('GET /api/revocations/head');
      const found = await jsonSince(request, signedOf(RevocationHead), { known, signal });
      return found && { head: found.value, tag: found.tag };
    },
    revocationSegment,
    revocations: (signal) => json(apiRequest('GET /api/apps/revocations'), signedOf(RevocationList), signal),
  };
}
