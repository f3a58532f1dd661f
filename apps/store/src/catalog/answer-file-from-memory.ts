import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from '@svc/contracts';
import type { AnswerFromMemory } from '../access/answer-from-memory.ts';
import { OPEN_TO_ALL } from '../access/bind-route.ts';
import { type Observers, tellRequest } from '../access/observe.ts';
import type { VersionRef, VersionStore } from '../domain/versions/version-store.ts';
import { isHeld, notModified } from '../http/send.ts';
import type { DownloadRecorder } from '../installs/download-recorder.ts';
import { bundleHeaders, fileHeaders, rasterHeaders, rasterName } from './file-headers.ts';
import type { FileMemory } from './file-memory.ts';

type FileDeps = Observers &
  Pick<DownloadRecorder, 'recordDownload'> & {
    newId(): string;
    versions: Pick<VersionStore, 'served'>;
    files: Pick<FileMemory, 'find'>;
  };

/** What is asked for of a version: its zip, or a picture, as it is or as pages show it. */
type Asked = { ref: VersionRef; path: string | null; isRaster: boolean };

/** A file that may be served, and is in memory. */
type InMemory = { bytes: Uint8Array; headers: Record<string, string> & { ETag: string } };

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
async function find({ versions, files }: FileDeps, { ref, path, isRaster }: Asked): Promise<InMemory | null> {
  const record = await versions.served(ref);
  if (record?.state !== 'published' || !record.isListed) return null;
  if (path === null) {
    const bytes = files.find(record.sha256);
    return bytes ? { bytes, headers: bundleHeaders(record) } : null;
  }
  const file = record.files.find((candidate) => candidate.path === path);
  const bytes = file && files.find(isRaster ? rasterName(file) : file.sha256);
  return bytes ? { bytes, headers: isRaster ? rasterHeaders(bytes) : fileHeaders(file) } : null;
}

/** Sends it, or that the client has it. @returns the status */
function send(
  { headers: { 'if-none-match': tag } }: IncomingMessage,
  response: ServerResponse,
  { bytes, headers }: InMemory,
  requestId: string,
): number {
  const all = { ...headers, 'Accept-Ranges': 'bytes', ...OPEN_TO_ALL, 'X-Request-Id': requestId };
  if (isHeld(tag, headers.ETag)) {
    response.writeHead(304, notModified(all)).end();
    return 304;
  }
  response.writeHead(200, { ...all, 'Content-Length': bytes.byteLength }).end(bytes);
  return 200;
}

/**
 * Sends icons and small bundles that are in memory ahead of the router, which costs several times what sending does. Whether
 * they may be served is asked of the database, each time. What is not in memory, may not be had, or is asked for in part goes the
 * ordinary way, which answers with the same headers.
 */
export function answerFileFromMemory(deps: FileDeps): AnswerFromMemory {
  async function answer(asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const started = performance.now();
    const found = await find(deps, asked).catch(() => null);
    if (!found) return false;
    const requestId = deps.newId();
    const address = deps.clientAddress(request);
    const status = send(request, response, found, requestId);
    if (asked.path === null && status === 200) {
      const installId = request.headers['x-svc-install-id'] as string | undefined;
      deps.recordDownload({ ...asked.ref, installId, address });
    }
    const route = asked.path === null ? ROUTES.bundle.path : ROUTES.files.path;
    tellRequest(deps, { requestId, address, method: 'GET', route, status }, started);
    return true;
  }

  return (request, response, ordinary) => {
    const isWhole = request.method === 'GET' && request.headers.range === undefined;
    const asked = isWhole ? askedOf(request.url ?? '') : null;
    if (!asked) return false;
    void answer(asked, request, response).then(
      (isAnswered) => {
        if (!isAnswered) ordinary();
      },
      () => response.destroy(),
    );
    return true;
  };
}
