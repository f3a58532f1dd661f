import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from '@svc/contracts';
import { inBackground } from '@svc/contracts/guarded';
import { LRUCache } from 'lru-cache';
import { type EncodedPage, encodingFor, type ReadyPage } from '../../http/encoded-page.ts';
import { fieldOf } from '../../http/field-of.ts';
import { matchesEtag, notModified } from '../../http/send.ts';
import type { PageCache } from '../../platform/page-cache.ts';
import { OPEN_TO_ALL } from '../access/bind-route.ts';
import { type Observers, reportRequest } from '../access/observe.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { VersionRef } from '../domain/versions/version-record.ts';
import type { DownloadRecorder } from '../installs/download-recorder.ts';
import type { RasterSize } from '../pictures/rasters.ts';
import { tagHeaders } from './cache-tags.ts';
import { bundleHeaders, rasterHeaders, rasterName, versionFileHeaders } from './file-headers.ts';
import type { FileMemory } from './file-memory.ts';

/**
 * Answers a request from memory, or returns false. When it must query the database first, it returns true, and passes a request that it
 * cannot answer to `ordinary`.
 */
export type AnswerFromMemory = (
  request: IncomingMessage,
  response: ServerResponse,
  ordinary: () => void,
) => boolean;

type Memory = {
  pages: PageCache<EncodedPage>;
  details: PageCache<EncodedPage>;
  files: Pick<FileMemory, 'find'>;
};

type Deps = Observers &
  Memory &
  Pick<DownloadRecorder, 'recordDownload'> &
  Pick<Parts, 'newId' | 'versions' | 'changeMark'>;

/** The headers of a response and of a 304 in its place, as flat lists of names and values, which Node writes fastest. */
type Headers = { etag: string; flat: Readonly<Record<200 | 304, readonly string[]>> };

/** A response without its bytes. `bundle` is the version whose download it is. */
type Head = Headers & { route: string; bundle?: VersionRef };

const flatten = (
  headers: Record<string, string> & { ETag: string },
  body: Uint8Array,
  extra: Readonly<Record<string, string>>,
): Headers => ({
  etag: headers.ETag,
  flat: {
    200: Object.entries({ ...headers, 'Content-Length': String(body.byteLength), ...extra }).flat(),
    304: Object.entries({ ...notModified({ ...headers }), ...extra }).flat(),
  },
});

/** The query of a URL, with its question mark; empty when there is none. It is the cache key of a page. */
export function searchOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

const CATALOG = ROUTES.catalog.path;
const APPS = '/api/apps/';

/** The beginnings of the paths of pages, their caches and their routes. */
const PAGES = [
  [APPS, 'details', ROUTES.appDetail.path],
  ['/apps/', 'details', ROUTES.appPage.path],
  ['/categories/', 'pages', ROUTES.categoryPage.path],
  ['/publishers/', 'details', ROUTES.publisherPage.path],
] as const;

function findPage(memory: Memory, url: string): { page: EncodedPage | null; route: string } | null {
  if (url === '/' || url.startsWith('/?'))
    return { page: memory.pages.peek(url), route: ROUTES.cataloguePage.path };
  const search = url.startsWith(CATALOG) ? searchOf(url) : null;
  if (search !== null && url.length - search.length === CATALOG.length)
    return { page: memory.pages.peek(search), route: CATALOG };
  const match = PAGES.find(([beginning]) => url.startsWith(beginning));
  return match ? { page: memory[match[1]].peek(url), route: match[2] } : null;
}

/** A requested file of a version: its zip (`path` is null), or a picture, in the original or as a raster. */
type RequestedFile = { ref: VersionRef; path: string | null; raster: RasterSize | null };

const RASTER = /\?raster(?:=(192|768|1280))?$/;

/**
 * Parses the URLs that the store itself writes (`/api/apps/ID/versions/VERSION/bundle` and `…/files/PATH`). The router
 * handles any other spelling of them.
 */
export function parseFileUrl(url: string): RequestedFile | null {
  if (!url.startsWith(APPS) || url.includes('%')) return null;
  const asked = RASTER.exec(url);
  const raster = asked && ((asked[1] ?? '') as RasterSize);
  const path = asked ? url.slice(0, asked.index) : url;
  if (path.includes('?')) return null;
  const [appId = '', versions, version = '', kind, ...rest] = path.slice(APPS.length).split('/');
  if (versions !== 'versions') return null;
  const ref = { appId, version };
  if (kind === 'bundle' && rest.length === 0 && !asked) return { ref, path: null, raster };
  return kind === 'files' && rest.length > 0 ? { ref, path: rest.join('/'), raster } : null;
}

/** A file that may be served: its response without the bytes, and their name in memory. */
type ServedFile = Head & { name: string };

/** Finds a requested file; null when it is not in memory or not public. */
async function findFile(
  { versions, files }: Deps,
  { ref, path, raster }: RequestedFile,
): Promise<ServedFile | null> {
  const record = await versions.served(ref);
  if (record?.state !== 'published' || !record.isListed) return null;
  // The router signs from which store it comes.
  if (path === null && record.origin) return null;
  const picture = record.files.find((file) => file.path === path && !file.inReadme);
  if (path !== null && !picture) return null;
  const name = !picture ? record.sha256 : raster === null ? picture.sha256 : rasterName(picture, raster);
  const bytes = files.find(name);
  if (!bytes) return null;
  const own = !picture
    ? bundleHeaders(record, null)
    : raster === null
      ? versionFileHeaders(picture, ref)
      : { ...rasterHeaders(bytes), ...tagHeaders(ref) };
  const headers = flatten(own, bytes, { 'Accept-Ranges': 'bytes', ...OPEN_TO_ALL });
  return path === null
    ? { ...headers, name, route: ROUTES.bundle.path, bundle: ref }
    : { ...headers, name, route: ROUTES.files.path };
}

/** Maximum files whose headers are cached, some hundred bytes each. */
const MAX_FILES = 2_000;

/**
 * Creates a fast path ahead of the router for cached pages of the catalogue and of apps, and for icons and small bundles: they are most
 * of the requests of a store, and routing costs several times what sending does. The router answers all other requests, with the same
 * headers. The database is asked whether a file may be served, unless no process has committed since the last time: a version that is
 * yanked, suspended or replaced is no longer served after that commit.
 */
export function answerFromMemory(deps: Deps): AnswerFromMemory {
  const heads = new WeakMap<ReadyPage, Head>();
  const served = new LRUCache<string, ServedFile & { mark: number }>({ max: MAX_FILES });

  function send(
    request: IncomingMessage,
    response: ServerResponse,
    { flat, etag, route, bundle }: Head,
    body: Uint8Array,
    started = performance.now(),
  ): true {
    const requestId = deps.newId();
    const address = deps.clientAddress(request);
    const status = matchesEtag(fieldOf(request, 'if-none-match'), etag) ? 304 : 200;
    response.writeHead(status, [...flat[status], 'X-Request-Id', requestId]);
    response.end(status === 304 ? undefined : body);
    if (bundle && status === 200) {
      const installId = fieldOf(request, 'x-svc-install-id');
      deps.recordDownload({ ...bundle, installId, address });
    }
    reportRequest(deps, { requestId, address, method: 'GET', route, status }, started);
    return true;
  }

  function headOf(page: ReadyPage, route: string): Head {
    const extra = route.startsWith('/api/') ? OPEN_TO_ALL : {};
    const head = { ...flatten(page.headers, page.body, extra), route };
    heads.set(page, head);
    return head;
  }

  function sendPage(request: IncomingMessage, response: ServerResponse, url: string): boolean {
    const match = findPage(deps, url);
    const page = match?.page?.ready(encodingFor(fieldOf(request, 'accept-encoding')));
    if (!match || !page) return false;
    return send(request, response, heads.get(page) ?? headOf(page, match.route), page.body);
  }

  async function lookUp(file: RequestedFile, request: IncomingMessage, response: ServerResponse) {
    const started = performance.now();
    // Before the database is read.
    const mark = deps.changeMark();
    const found = await findFile(deps, file).catch(() => null);
    const bytes = found && deps.files.find(found.name);
    if (!found || !bytes) return false;
    if (mark !== null) served.set(request.url ?? '', { ...found, mark });
    return send(request, response, found, bytes, started);
  }

  return (request, response, ordinary) => {
    if (request.method !== 'GET') return false;
    const url = request.url ?? '';
    if (sendPage(request, response, url)) return true;
    if (fieldOf(request, 'range') !== undefined) return false;
    const known = served.get(url);
    const bytes = known && known.mark === deps.changeMark() ? deps.files.find(known.name) : undefined;
    if (known && bytes) return send(request, response, known, bytes);
    const file = parseFileUrl(url);
    if (!file) return false;
    const answer = async () => {
      if (!(await lookUp(file, request, response))) ordinary();
    };
    inBackground(answer(), () => response.destroy());
    return true;
  };
}
