import { type CatalogQuery, LIMITS } from '@svc/contracts';
import type { Context } from 'hono';
import { searchOf } from '../access/answer-from-memory.ts';
import { beginsDownload } from '../access/begins-download.ts';
import type { RouteHandler } from '../access/bind-route.ts';
import type { Env } from '../access/context.ts';
import type { ListingStore } from '../domain/listings/listing-store.ts';
import type { Addresses, VersionFacts, VersionReach } from '../domain/listings/present.ts';
import type { SearchIndex } from '../domain/listings/search/search-index.ts';
import type { PublicFile, VersionStore } from '../domain/versions/version-store.ts';
import { type EncodedPage, encodePage } from '../http/encoded-page.ts';
import { encodingFor } from '../http/encoding.ts';
import { redirectToBlob } from '../http/redirect-to-blob.ts';
import { publicFor, sendCacheable } from '../http/send.ts';
import { sendBlob } from '../http/send-blob.ts';
import { sendByProxy } from '../http/send-by-proxy.ts';
import type { DownloadRecorder } from '../installs/download-recorder.ts';
import { PLACEHOLDER } from '../pictures/placeholder.ts';
import type { Rasters } from '../pictures/rasters.ts';
import type { Gate } from '../platform/gate.ts';
import type { PageCache } from '../platform/page-cache.ts';
import type { SafeRenderer } from '../platform/renderer.ts';
import { appDetail, browseCatalog } from './browse.ts';
import { downloadBundle, downloadFile } from './download.ts';
import { bundleHeaders, fileHeaders, rasterHeaders, rasterName } from './file-headers.ts';
import type { FileMemory } from './file-memory.ts';
import type { VersionCache } from './version-cache.ts';
import { withRendered } from './with-rendered.ts';

export type CatalogDeps = Pick<DownloadRecorder, 'recordDownload'> & {
  listings: ListingStore;
  searchIndex: SearchIndex;
  searchGate: Gate;
  versions: VersionStore;
  /** Bundles and pictures. */
  files: FileMemory;
  addresses: Addresses;
  /** Address of the store, without a trailing slash. */
  baseUrl: string;
  pages: PageCache<EncodedPage>;
  /** Details of apps. In a cache of their own: a client that walks through all apps must not drive out the catalogue. */
  details: PageCache<EncodedPage>;
  entries: VersionCache<VersionFacts>;
  reaches: VersionCache<VersionReach>;
  renderer: SafeRenderer;
  rasters: Pick<Rasters, 'rasterOf'>;
};

const JSON_TYPE = 'application/json; charset=utf-8';

async function makePage(
  deps: CatalogDeps,
  query: CatalogQuery,
  asked: Record<string, string>,
): Promise<EncodedPage> {
  const page = await browseCatalog(deps, query);
  const next = new URLSearchParams({ ...asked, cursor: page.nextCursor ?? '' });
  const body = Buffer.from(JSON.stringify(page));
  return encodePage(body, {
    'Content-Type': JSON_TYPE,
    'Cache-Control': publicFor(LIMITS.catalog.cacheSeconds),
    ...(page.nextCursor && { Link: `<${deps.baseUrl}/api/apps/catalog?${next}>; rel="next"` }),
  });
}

async function makeDetail(deps: CatalogDeps, appId: string, withHtml: boolean): Promise<EncodedPage> {
  const detail = await appDetail(deps, appId);
  const body = Buffer.from(JSON.stringify(withHtml ? await withRendered(deps.renderer, detail) : detail));
  return encodePage(body, {
    'Content-Type': JSON_TYPE,
    'Cache-Control': publicFor(LIMITS.catalog.cacheSeconds),
  });
}

/** Sends a page in the form that the client wants most. */
async function sendEncoded(c: Context<Env>, page: EncodedPage): Promise<Response> {
  const { body, headers } = await page.in(encodingFor(c.req.header('accept-encoding')));
  return sendCacheable(c, body, headers);
}

const catalog =
  (deps: CatalogDeps): RouteHandler<'catalog'> =>
  async (c, { query }) => {
    const page = await deps.pages.get(searchOf(c.req.url), () => makePage(deps, query, c.req.query()));
    return sendEncoded(c, page);
  };

const detail =
  (deps: CatalogDeps): RouteHandler<'appDetail'> =>
  async (c, { params, query }) => {
    const make = () => makeDetail(deps, params.appId, query.html !== undefined);
    return sendEncoded(c, await deps.details.get(c.req.path + searchOf(c.req.url), make));
  };

/** What sends bundles in place of the store: see `sendByProxy` and `redirectToBlob`. */
type Delivery = {
  /** Under what path the proxy has the folder of the bundles; null when the store sends them. */
  bundlesByProxy: string | null;
  /** How long a signed address in the bucket is valid, in seconds; null when the store sends what is in it. */
  bundleRedirect: number | null;
};

const bundle =
  (deps: CatalogDeps & Delivery): RouteHandler<'bundle'> =>
  async (c, { params }) => {
    const { record, blob } = await downloadBundle(deps, params);
    const headers = bundleHeaders(record);
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

/** Sends the same picture as pages show it: drawn once, and of known size. */
function rasterSender({ rasters, files }: CatalogDeps) {
  return async (c: Context<Env>, file: PublicFile): Promise<Response> => {
    // What could not be drawn is tried again.
    const isLasting = (png: Uint8Array) => png !== PLACEHOLDER;
    const raster = await files.made(rasterName(file), () => rasters.rasterOf(file), isLasting);
    return sendBlob(c, raster, rasterHeaders(raster.bytes));
  };
}

function files(deps: CatalogDeps): RouteHandler<'files'> {
  const sendRaster = rasterSender(deps);
  return async (c, { params, query }) => {
    const { file, blob } = await downloadFile(deps, params, params.path);
    if (query.raster !== undefined) return sendRaster(c, file);
    return sendBlob(c, blob, fileHeaders(file));
  };
}

/** What anybody may read of apps. */
export const catalogRoutes = (deps: CatalogDeps & Delivery) => ({
  catalog: catalog(deps),
  appDetail: detail(deps),
  bundle: bundle(deps),
  files: files(deps),
});
