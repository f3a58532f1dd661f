import { type CatalogQuery, LIMITS } from '@svc/contracts';
import { searchOf } from '../http/answer-from-memory.ts';
import type { RouteHandler } from '../http/bind-route.ts';
import { publicFor, sendCacheable } from '../http/send.ts';
import type { BlobStore } from '../publishing/blob-store.ts';
import type { VersionStore } from '../publishing/version-store.ts';
import { appDetail, browseCatalog } from './browse.ts';
import { downloadBundle, downloadFile } from './download.ts';
import type { EntryCache } from './entry-cache.ts';
import type { ListingStore } from './listing-store.ts';
import { type CachedPage, etagOf, type PageCache } from './page-cache.ts';
import type { Addresses } from './present.ts';

export type CatalogDeps = {
  listings: ListingStore;
  versions: VersionStore;
  blobs: BlobStore;
  addresses: Addresses;
  /** Address of the store, without a trailing slash. */
  baseUrl: string;
  pages: PageCache;
  entries: EntryCache;
};

const JSON_TYPE = 'application/json; charset=utf-8';

/** What a picture may do when somebody opens it as a page: nothing. An SVG is a document, and may hold a script. */
const PICTURE_CSP = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

async function makePage(
  deps: CatalogDeps,
  query: CatalogQuery,
  asked: Record<string, string>,
): Promise<CachedPage> {
  const page = await browseCatalog(deps, query);
  const next = new URLSearchParams({ ...asked, cursor: page.nextCursor ?? '' });
  const body = Buffer.from(JSON.stringify(page));
  return {
    body,
    headers: {
      'Content-Type': JSON_TYPE,
      'Cache-Control': publicFor(LIMITS.catalog.cacheSeconds),
      ETag: etagOf(body),
      ...(page.nextCursor && { Link: `<${deps.baseUrl}/api/apps/catalog?${next}>; rel="next"` }),
    },
  };
}

const catalog =
  (deps: CatalogDeps): RouteHandler<'catalog'> =>
  async (c, { query }) => {
    const { body, headers } = await deps.pages.get(searchOf(c.req.url), () =>
      makePage(deps, query, c.req.query()),
    );
    return sendCacheable(c, body, headers);
  };

const detail =
  (deps: CatalogDeps): RouteHandler<'appDetail'> =>
  async (c, { params }) => {
    const body = Buffer.from(JSON.stringify(await appDetail(deps, params.appId)));
    return sendCacheable(c, body, {
      'Content-Type': JSON_TYPE,
      'Cache-Control': publicFor(LIMITS.catalog.cacheSeconds),
      ETag: etagOf(body),
    });
  };

const bundle =
  (deps: CatalogDeps): RouteHandler<'bundle'> =>
  async (c, { params }) => {
    const { record, blob } = await downloadBundle(deps, params);
    return sendCacheable(c, blob.stream, {
      'Content-Type': 'application/zip',
      'Content-Length': String(blob.size),
      'Content-Disposition': `attachment; filename="${record.appId}-${record.version}.svc-app"`,
      // A version can be withdrawn at any time, so the bytes may be kept but must be asked for again.
      'Cache-Control': 'public, no-cache',
      ETag: `"${record.sha256}"`,
      'X-Content-Type-Options': 'nosniff',
      'X-Svc-Sha256': record.sha256,
      'X-Svc-Signature': record.signature ?? '',
      'X-Svc-Key-Id': record.keyId ?? '',
      'X-Svc-Published-At': record.publishedAt ?? '',
    });
  };

const files =
  (deps: CatalogDeps): RouteHandler<'files'> =>
  async (c, { params }) => {
    const { file, blob } = await downloadFile(deps, params, params.path);
    return sendCacheable(c, blob.stream, {
      'Content-Type': file.type,
      'Content-Length': String(blob.size),
      'Cache-Control': publicFor(LIMITS.files.cacheSeconds),
      ETag: `"${file.sha256}"`,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': PICTURE_CSP,
    });
  };

/** What anybody may read of apps. */
export const catalogRoutes = (deps: CatalogDeps) => ({
  catalog: catalog(deps),
  appDetail: detail(deps),
  bundle: bundle(deps),
  files: files(deps),
});
