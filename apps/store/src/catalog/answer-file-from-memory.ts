import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from '@svc/contracts';
import { LRUCache } from 'lru-cache';
import type { AnswerFromMemory } from '../access/answer-from-memory.ts';
import { OPEN_TO_ALL } from '../access/bind-route.ts';
import { type Observers, tellRequest } from '../access/observe.ts';
import type { VersionRef, VersionStore } from '../domain/versions/version-store.ts';
import { type FlatHeaders, flattenHeaders } from '../http/flat-headers.ts';
import { isHeld } from '../http/send.ts';
import type { DownloadRecorder } from '../installs/download-recorder.ts';
import type { ChangeMark } from '../platform/change-mark.ts';
import { bundleHeaders, fileHeaders, rasterHeaders, rasterName } from './file-headers.ts';
import type { FileMemory } from './file-memory.ts';

type FileDeps = Observers &
  Pick<DownloadRecorder, 'recordDownload'> & {
    newId(): string;
    versions: Pick<VersionStore, 'served'>;
    files: Pick<FileMemory, 'find'>;
    changeMark: ChangeMark;
  };

/** What is asked for of a version: its zip, or a picture, as it is or as pages show it. */
type Asked = { ref: VersionRef; path: string | null; isRaster: boolean };

/** A file that may be served: what its bytes are in memory under, and the headers they are sent with. */
type Servable = { asked: Asked; name: string; headers: FlatHeaders; etag: string };

type InMemory = Servable & { bytes: Uint8Array };

/** Answers that are kept ready, some hundred bytes each beside the files themselves. */
const MAX_READY = 2_000;

const APPS = '/api/apps/';
const RASTER = '?raster';

/**
 * Reads the addresses that the store itself gives out (`/api/apps/ID/versions/VERSION/bundle` and `…/files/PATH`). Any other
 * spelling of them goes the ordinary way.
 */
export function askedOf(url: string): Asked | null {
  if (!url.startsWith(APPS) || url.includes('%')) return null;
  const isRaster = url.endsWith(RASTER);
  const path = isRaster ? url.slice(0, -RASTER.length) : url;
  if (path.includes('?')) return null;
  const [appId = '', versions, version = '', what, ...rest] = path.slice(APPS.length).split('/');
  if (versions !== 'versions') return null;
  const ref = { appId, version };
  if (what === 'bundle' && rest.length === 0 && !isRaster) return { ref, path: null, isRaster };
  return what === 'files' && rest.length > 0 ? { ref, path: rest.join('/'), isRaster } : null;
}

/** Finds what is asked for; null when it is not in memory, or is nothing that the public may have. */
async function find({ versions, files }: FileDeps, asked: Asked): Promise<InMemory | null> {
  const record = await versions.served(asked.ref);
  if (record?.state !== 'published' || !record.isListed) return null;
  const picture = record.files.find(({ path }) => path === asked.path);
  if (asked.path !== null && !picture) return null;
  const name = !picture ? record.sha256 : asked.isRaster ? rasterName(picture) : picture.sha256;
  const bytes = files.find(name);
  if (!bytes) return null;
  const own = !picture ? bundleHeaders(record) : asked.isRaster ? rasterHeaders(bytes) : fileHeaders(picture);
  const headers = flattenHeaders(own, bytes.byteLength, { 'Accept-Ranges': 'bytes', ...OPEN_TO_ALL });
  return { asked, name, headers, etag: own.ETag, bytes };
}

/**
 * Keeps answers ready for as long as nothing was committed to the database since they were made, by this process or another: so
 * what is yanked, suspended or replaced is gone with the commit.
 */
function keepReady({ changeMark, files }: Pick<FileDeps, 'changeMark' | 'files'>) {
  const kept = new LRUCache<string, Servable & { mark: number }>({ max: MAX_READY });
  return {
    get(url: string): InMemory | null {
      const known = kept.get(url);
      if (!known || known.mark !== changeMark()) return null;
      const bytes = files.find(known.name);
      return bytes ? { ...known, bytes } : null;
    },
    /** @param mark the mark of the database before it was asked */
    set(url: string, mark: number | null, { bytes: _, ...servable }: InMemory): void {
      if (mark !== null) kept.set(url, { ...servable, mark });
    },
  };
}

/**
 * Sends icons and small bundles that are in memory ahead of the router, which costs several times what sending does. Whether
 * they may be served is asked of the database, unless nothing was committed there since it was asked last. What is not in memory, may
 * not be had, or is asked for in part goes the ordinary way, which answers with the same headers.
 */
export function answerFileFromMemory(deps: FileDeps): AnswerFromMemory {
  const ready = keepReady(deps);

  function send(request: IncomingMessage, response: ServerResponse, found: InMemory, started: number): void {
    const { asked, headers, etag, bytes } = found;
    const requestId = deps.newId();
    const address = deps.clientAddress(request);
    const status = isHeld(request.headers['if-none-match'], etag) ? 304 : 200;
    response.writeHead(status, [...headers[status], 'X-Request-Id', requestId]);
    response.end(status === 304 ? undefined : bytes);
    if (asked.path === null && status === 200) {
      const installId = request.headers['x-svc-install-id'] as string | undefined;
      deps.recordDownload({ ...asked.ref, installId, address });
    }
    const route = asked.path === null ? ROUTES.bundle.path : ROUTES.files.path;
    tellRequest(deps, { requestId, address, method: 'GET', route, status }, started);
  }

  async function lookUp(asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const started = performance.now();
    const mark = deps.changeMark();
    const found = await find(deps, asked).catch(() => null);
    if (!found) return false;
    ready.set(request.url ?? '', mark, found);
    send(request, response, found, started);
    return true;
  }

  return (request, response, ordinary) => {
    if (request.method !== 'GET' || request.headers.range !== undefined) return false;
    const url = request.url ?? '';
    const known = ready.get(url);
    if (known) {
      send(request, response, known, performance.now());
      return true;
    }
    const asked = askedOf(url);
    if (!asked) return false;
    void lookUp(asked, request, response).then(
      (isAnswered) => {
        if (!isAnswered) ordinary();
      },
      () => response.destroy(),
    );
    return true;
  };
}
