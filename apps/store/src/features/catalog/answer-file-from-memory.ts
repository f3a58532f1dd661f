import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from '@svc/contracts';
import { inBackground } from '@svc/contracts/guarded';
import { LRUCache } from 'lru-cache';
import type { AnswerFromMemory } from '../../access/answer-from-memory.ts';
import { OPEN_TO_ALL } from '../../access/bind-route.ts';
import { type Observers, reportRequest } from '../../access/observe.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import type { VersionRef } from '../../domain/versions/version-store.ts';
import { type FlatHeaders, flattenHeaders } from '../../http/flat-headers.ts';
import { matchesEtag } from '../../http/send.ts';
import type { DownloadRecorder } from '../installs/download-recorder.ts';
import { bundleHeaders, fileHeaders, rasterHeaders, rasterName } from './file-headers.ts';
import type { FileMemory } from './file-memory.ts';

type FileDeps = Observers &
  Pick<DownloadRecorder, 'recordDownload'> &
  Pick<Parts, 'newId' | 'versions' | 'changeMark'> & { files: Pick<FileMemory, 'find'> };

/** A requested file of a version: its zip (`path` is null), or a picture, in the original or as a raster. */
type RequestedFile = { ref: VersionRef; path: string | null; isRaster: boolean };

/** A file that may be served: the name of its bytes in memory, and its response headers. */
type Servable = { requested: RequestedFile; name: string; headers: FlatHeaders; etag: string };

type InMemory = Servable & { bytes: Uint8Array };

/** Cached responses, some hundred bytes each without the bytes of their files. */
const MAX_CACHED = 2_000;

const APPS = '/api/apps/';
const RASTER = '?raster';

/**
 * Parses the URLs that the store itself writes (`/api/apps/ID/versions/VERSION/bundle` and `…/files/PATH`). The router
 * handles any other spelling of them.
 */
export function parseFileUrl(url: string): RequestedFile | null {
  if (!url.startsWith(APPS) || url.includes('%')) return null;
  const isRaster = url.endsWith(RASTER);
  const path = isRaster ? url.slice(0, -RASTER.length) : url;
  if (path.includes('?')) return null;
  const [appId = '', versions, version = '', kind, ...rest] = path.slice(APPS.length).split('/');
  if (versions !== 'versions') return null;
  const ref = { appId, version };
  if (kind === 'bundle' && rest.length === 0 && !isRaster) return { ref, path: null, isRaster };
  return kind === 'files' && rest.length > 0 ? { ref, path: rest.join('/'), isRaster } : null;
}

/** Finds a requested file; null when it is not in memory or not public. */
async function find({ versions, files }: FileDeps, requested: RequestedFile): Promise<InMemory | null> {
  const record = await versions.served(requested.ref);
  if (record?.state !== 'published' || !record.isListed) return null;
  const picture = record.files.find(({ path, inReadme }) => path === requested.path && !inReadme);
  if (requested.path !== null && !picture) return null;
  const name = !picture ? record.sha256 : requested.isRaster ? rasterName(picture) : picture.sha256;
  const bytes = files.find(name);
  if (!bytes) return null;
  const own = !picture
    ? bundleHeaders(record)
    : requested.isRaster
      ? rasterHeaders(bytes)
      : fileHeaders(picture);
  const headers = flattenHeaders(own, bytes.byteLength, { 'Accept-Ranges': 'bytes', ...OPEN_TO_ALL });
  return { requested, name, headers, etag: own.ETag, bytes };
}

/**
 * Caches responses until any process commits to the database, so that a version that is yanked, suspended or replaced is no
 * longer served after that commit.
 */
function createResponseCache({ changeMark, files }: Pick<FileDeps, 'changeMark' | 'files'>) {
  const entries = new LRUCache<string, Servable & { mark: number }>({ max: MAX_CACHED });
  return {
    get(url: string): InMemory | null {
      const entry = entries.get(url);
      if (!entry || entry.mark !== changeMark()) return null;
      const bytes = files.find(entry.name);
      return bytes ? { ...entry, bytes } : null;
    },
    /** @param mark the change mark before the database was read */
    set(url: string, mark: number | null, { bytes: _, ...servable }: InMemory): void {
      if (mark !== null) entries.set(url, { ...servable, mark });
    },
  };
}

/**
 * Sends icons and small bundles from memory before the router runs, as routing costs several times kind sending does. The
 * database is requested whether a file may be served, unless nothing was committed since the last time. A file that is not in memory
 * or not public, and a range request, go through the router, which answers with the same headers.
 */
export function answerFileFromMemory(deps: FileDeps): AnswerFromMemory {
  const cache = createResponseCache(deps);

  function send(request: IncomingMessage, response: ServerResponse, file: InMemory, started: number): void {
    const { requested, headers, etag, bytes } = file;
    const requestId = deps.newId();
    const address = deps.clientAddress(request);
    const status = matchesEtag(request.headers['if-none-match'], etag) ? 304 : 200;
    response.writeHead(status, [...headers[status], 'X-Request-Id', requestId]);
    response.end(status === 304 ? undefined : bytes);
    if (requested.path === null && status === 200) {
      const installId = request.headers['x-svc-install-id'] as string | undefined;
      deps.recordDownload({ ...requested.ref, installId, address });
    }
    const route = requested.path === null ? ROUTES.bundle.path : ROUTES.files.path;
    reportRequest(deps, { requestId, address, method: 'GET', route, status }, started);
  }

  async function lookUp(
    requested: RequestedFile,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> {
    const started = performance.now();
    const mark = deps.changeMark();
    const file = await find(deps, requested).catch(() => null);
    if (!file) return false;
    cache.set(request.url ?? '', mark, file);
    send(request, response, file, started);
    return true;
  }

  return (request, response, next) => {
    if (request.method !== 'GET' || request.headers.range !== undefined) return false;
    const url = request.url ?? '';
    const cached = cache.get(url);
    if (cached) {
      send(request, response, cached, performance.now());
      return true;
    }
    const requested = parseFileUrl(url);
    if (!requested) return false;
    const answer = async () => {
      if (!(await lookUp(requested, request, response))) next();
    };
    inBackground(answer(), () => response.destroy());
    return true;
  };
}
