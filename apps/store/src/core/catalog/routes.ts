import { createHash } from 'node:crypto';
import {
  type AppDetailQuery,
  type AppHead,
  type CatalogEntry,
  type CatalogQuery,
  LIMITS,
} from '@svc/contracts';
import { signHead } from '@svc/signing';
import type { Context } from 'hono';
import { type EncodedPage, encodePage, encodingFor } from '../../http/encoded-page.ts';
import { redirectToBlob } from '../../http/redirect-to-blob.ts';
import { publicFor, sendCacheable } from '../../http/send.ts';
import { sendBlob } from '../../http/send-blob.ts';
import { sendByProxy } from '../../http/send-by-proxy.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Gate } from '../../platform/gate.ts';
import type { PageCache } from '../../platform/page-cache.ts';
import type { RouteHandler } from '../access/bind-route.ts';
import type { Env } from '../access/context.ts';
import type { Additions } from '../access/extension.ts';
import type { VersionFacts, VersionPermissions } from '../domain/listings/present.ts';
import type { Parts } from '../domain/parts/parts.ts';
import { type StateDeps, stateOrigin } from '../domain/versions/origin.ts';
import type { PublicFile, VersionRef } from '../domain/versions/version-record.ts';
import type { DownloadRecorder } from '../installs/download-recorder.ts';
import { PLACEHOLDER, type RasterSize, type Rasters } from '../pictures/rasters.ts';
import { searchOf } from './answer-from-memory.ts';
import { appDetail, browseCatalog, type VersionCache } from './browse.ts';
import { tagHeaders } from './cache-tags.ts';
import { downloadAttestation, downloadBundle, downloadFile, originOf } from './download.ts';
import { bundleHeaders, rasterHeaders, rasterName, versionFileHeaders } from './file-headers.ts';
import type { FileMemory } from './file-memory.ts';
import type { TombstoneDeps } from './tombstone.ts';
import { withRendered } from './with-rendered.ts';

/** The times of statements are multiples of this, in milliseconds, so that all processes of a store sign the same. */
const SLOT_MS = 10 * 60_000;

type HeadDeps = Pick<Parts, 'listings' | 'versions' | 'signingKey' | 'clock'> & {
  additions: readonly Pick<Additions, 'proveVersion' | 'featured'>[];
};

/** The time of a statement: the beginning of the slot, or the last change when that is later. */
function signingTime(now: number, lastChange: string | null): string {
  const slot = new Date(now - (now % SLOT_MS)).toISOString();
  return lastChange !== null && lastChange > slot ? lastChange : slot;
}

/**
 * Signs the statement of the latest version of an app. Nothing is stored: the same versions have the same statement within ten minutes.
 * @throws ApiError not_found
 */
async function headOf(
  { listings, versions, signingKey, clock }: HeadDeps,
  appId: string,
  withList: boolean,
): Promise<AppHead> {
  const [app, list, lastChange] = await Promise.all([
    listings.find(appId),
    versions.released(appId),
    versions.lastMoved(appId),
  ]);
  const isListed = list.some(({ version, state }) => version === app?.version && state === 'published');
  if (!app || !isListed) throw new ApiError('not_found', `There is no published app ${appId}.`);
  const at = signingTime(clock().getTime(), lastChange);
  const statement = signHead({ appId, latest: app.version, versions: list }, at, signingKey);
  return withList ? { ...statement, list } : statement;
}

/**
 * Whether a response begins a download: it sends a file or its first part, or redirects to it. A 304 and later parts do not. Decided by
 * the response, as a requested range may have been ignored (RFC 9110 section 14.2).
 * @param method of the request; a HEAD is answered with the status of a GET
 */
export const beginsDownload = (method: string, { status, headers }: Response): boolean =>
  method === 'GET' &&
  (status === 200 ||
    status === 307 ||
    (status === 206 && (headers.get('content-range') ?? '').startsWith('bytes 0-')));

/** The proof that a version is in the log of the store; nothing without a log, and for a version that it does not have. */
async function logProofOf(
  { additions }: Pick<HeadDeps, 'additions'>,
  ref: { appId: string; version: string },
  since: string | undefined,
): Promise<Pick<AppHead, 'log'>> {
  if (since === undefined) return {};
  for (const { proveVersion } of additions)
    if (proveVersion)
      try {
        return { log: await proveVersion(ref, Number(since)) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
  return {};
}

export type CatalogDeps = Pick<DownloadRecorder, 'recordDownload'> &
  TombstoneDeps &
  Pick<
    Parts,
    'listings' | 'searchIndex' | 'versions' | 'lives' | 'serverOf' | 'addresses' | 'baseUrl' | 'renderer'
  > & {
    searchGate: Gate;
    /** Bundles and pictures. */
    files: FileMemory;
    pages: PageCache<EncodedPage>;
    /** Details of apps, in a separate cache: a client that requests all apps must not evict the catalogue. */
    details: PageCache<EncodedPage>;
    entries: VersionCache<VersionFacts>;
    permissions: VersionCache<VersionPermissions>;
    rasters: Pick<Rasters, 'rasterOf'>;
  };

const JSON_TYPE = 'application/json; charset=utf-8';

/** Encodes a JSON answer that may be cached as long as a page of the catalogue. */
export const encodeJson = (value: unknown, headers: Record<string, string> = {}): EncodedPage =>
  encodePage(Buffer.from(JSON.stringify(value)), {
    'Content-Type': JSON_TYPE,
    'Cache-Control': publicFor(LIMITS.catalog.cacheSeconds),
    ...headers,
  });

/** The apps that extensions put first. */
export const featuredApps = async (
  additions: readonly Pick<Additions, 'featured'>[],
): Promise<CatalogEntry[]> => (await Promise.all(additions.map(({ featured }) => featured?.() ?? []))).flat();

async function makePage(
  deps: CatalogDeps & Pick<HeadDeps, 'additions'>,
  query: CatalogQuery,
  requested: Record<string, string>,
): Promise<EncodedPage> {
  if (query.featured !== undefined) {
    const apps = await featuredApps(deps.additions);
    return encodeJson({ apps, nextCursor: null, total: apps.length });
  }
  const page = await browseCatalog(deps, query);
  const next = new URLSearchParams({ ...requested, cursor: page.nextCursor ?? '' });
  return encodeJson(
    page,
    page.nextCursor === null ? {} : { Link: `<${deps.baseUrl}/api/apps/catalog?${next}>; rel="next"` },
  );
}

async function makeDetail(
  deps: CatalogDeps & Pick<HeadDeps, 'additions'>,
  appId: string,
  { html, proof }: AppDetailQuery,
): Promise<EncodedPage> {
  const detail = await appDetail(deps, appId);
  const shown = html === undefined ? detail : await withRendered(deps, detail);
  const { version } = detail;
  const { log } = proof === undefined ? {} : await logProofOf(deps, { appId, version }, '0');
  return encodeJson({ ...shown, ...(log && { logProof: log.proof }) });
}

/** Sends a page in the encoding that the client prefers. */
export async function sendEncoded(c: Context<Env>, page: EncodedPage): Promise<Response> {
  const { body, headers } = await page.in(encodingFor(c.req.header('accept-encoding')));
  return sendCacheable(c, body, headers);
}

const catalog =
  (deps: CatalogDeps & Pick<HeadDeps, 'additions'>): RouteHandler<'catalog'> =>
  async ({ query }, c) => {
    const page = await deps.pages.get(searchOf(c.req.url), () => makePage(deps, query, c.req.query()));
    return sendEncoded(c, page);
  };

const detail =
  (deps: CatalogDeps & Pick<HeadDeps, 'additions'>): RouteHandler<'appDetail'> =>
  async ({ params, query }, c) => {
    const make = () => makeDetail(deps, params.appId, query);
    return sendEncoded(c, await deps.details.get(c.req.path + searchOf(c.req.url), make));
  };

/** How bundles are delivered when not by the store itself: see `sendByProxy` and `redirectToBlob`. */
type Delivery = {
  /** The internal path under which the proxy serves the folder of the bundles; null when the store sends them. */
  bundlesByProxy: string | null;
  /** How long a signed URL of the bucket is valid, in seconds; null when the store sends the bundles. */
  bundleRedirect: number | null;
};

const deprecations =
  ({ lives }: Pick<Parts, 'lives'>): RouteHandler<'deprecations'> =>
  async ({ query }, c) =>
    sendEncoded(c, encodeJson({ apps: await lives.deprecationsOf(query.apps.split(',')) }));

const bundle =
  (deps: CatalogDeps & Delivery & StateDeps): RouteHandler<'bundle'> =>
  async ({ params }, c) => {
    const { record, blob } = await downloadBundle(deps, params);
    const headers = bundleHeaders(record, stateOrigin(deps, record));
    const answer =
      sendByProxy(c, blob, headers, deps.bundlesByProxy) ??
      (await redirectToBlob(c, blob, headers, deps.bundleRedirect)) ??
      sendBlob(c, blob, headers);
    if (beginsDownload(c.req.raw.method, answer)) {
      const installId = c.req.header('x-svc-install-id');
      deps.recordDownload({ ...params, installId, address: c.get('address') });
    }
    return answer;
  };

const versionOrigin =
  (deps: CatalogDeps & StateDeps): RouteHandler<'versionOrigin'> =>
  async ({ params }, c) => {
    const stated = await originOf(deps, params);
    return sendCacheable(c, Buffer.from(JSON.stringify(stated)), {
      'Content-Type': JSON_TYPE,
      'Cache-Control': 'public, no-cache',
      ETag: `"${createHash('sha256').update(stated.signature).digest('base64url')}"`,
    });
  };

const attestation =
  (deps: CatalogDeps): RouteHandler<'attestation'> =>
  async ({ params }, c) => {
    const { text, sha256 } = await downloadAttestation(deps, params);
    return sendCacheable(c, Buffer.from(text), {
      'Content-Type': 'application/vnd.dev.sigstore.bundle.v0.3+json',
      'Cache-Control': 'public, no-cache',
      ETag: `"${sha256}-attestation"`,
    });
  };

/** Sends the raster of a picture: drawn once, and of known size. */
function rasterSender({ rasters, files }: CatalogDeps) {
  return async (
    c: Context<Env>,
    { ref, file, size }: { ref: VersionRef; file: PublicFile; size: RasterSize },
  ): Promise<Response> => {
    // A picture that could not be drawn is tried again at the next request.
    const isCacheable = (png: Uint8Array) => png !== PLACEHOLDER;
    const raster = await files.generated(
      rasterName(file, size),
      () => rasters.rasterOf(file, size),
      isCacheable,
    );
    return sendBlob(c, raster, { ...rasterHeaders(raster.bytes), ...tagHeaders(ref) });
  };
}

function files(deps: CatalogDeps): RouteHandler<'files'> {
  const sendRaster = rasterSender(deps);
  return async ({ params, query }, c) => {
    const { file, blob } = await downloadFile(deps, params, params.path);
    if (query.raster !== undefined) return sendRaster(c, { ref: params, file, size: query.raster });
    return sendBlob(c, blob, versionFileHeaders(file, params));
  };
}

const readmePicture =
  (deps: CatalogDeps): RouteHandler<'readmePicture'> =>
  async ({ params }, c) => {
    const { file, blob } = await downloadFile(deps, params, params.path, 'readme');
    return sendBlob(c, blob, versionFileHeaders(file, params));
  };

/** Not cached: a client refuses a statement that is older than one of another cache. */
const appHead =
  (deps: HeadDeps): RouteHandler<'appHead'> =>
  async ({ params, query }, c) => {
    const { appId } = params;
    const signed = await headOf(deps, appId, query.list !== undefined);
    const ref = { appId, version: query.version ?? signed.latest };
    const head: AppHead = { ...signed, ...(await logProofOf(deps, ref, query.log)) };
    const body = Buffer.from(JSON.stringify(head));
    const headers = { 'Content-Type': JSON_TYPE, 'Cache-Control': 'public, no-cache' };
    // A proof has some 2 KiB of base64, a quarter of which compression removes.
    if (head.log) return sendEncoded(c, encodePage(body, headers));
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
    return sendCacheable(c, body, { ...headers, ETag: etag });
  };

export const catalogRoutes = (deps: CatalogDeps & Delivery & HeadDeps & StateDeps) => ({
  catalog: catalog(deps),
  appDetail: detail(deps),
  deprecations: deprecations(deps),
  bundle: bundle(deps),
  versionOrigin: versionOrigin(deps),
  attestation: attestation(deps),
  files: files(deps),
  readmePicture: readmePicture(deps),
  appHead: appHead(deps),
});
