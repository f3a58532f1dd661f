import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from '@svc/contracts';
import type { PageCache } from '../catalog/page-cache.ts';
import { OPEN_TO_ALL } from './bind-route.ts';
import { type Observers, tellRequest } from './observe.ts';
import { isHeld, notModified } from './send.ts';

/** Answers a request from memory, or leaves it alone and returns false. */
export type AnswerFromMemory = (request: IncomingMessage, response: ServerResponse) => boolean;

const PATH = ROUTES.catalog.path;

/** The query of an address, with its question mark; empty when it has none. It is the key under which a page is held. */
export function searchOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

const isCatalog = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'GET' && url.startsWith(PATH) && (url.length === PATH.length || url[PATH.length] === '?');

/**
 * Sends the catalogue pages that are held, ahead of the router: they are most of what a store is asked for, and routing
 * costs more than sending. Whatever is not held goes the ordinary way, which answers with the same headers.
 */
export const answerFromMemory =
  (deps: Observers & { pages: PageCache; newId(): string }): AnswerFromMemory =>
  (request, response) => {
    const page = isCatalog(request) ? deps.pages.peek(searchOf(request.url ?? '')) : null;
    if (!page) return false;
    const started = performance.now();
    const requestId = deps.newId();
    const status = isHeld(request.headers['if-none-match'], page.headers.ETag) ? 304 : 200;
    const headers =
      status === 304
        ? notModified(page.headers)
        : { ...page.headers, 'Content-Length': String(page.body.byteLength) };
    response.writeHead(status, { ...headers, ...OPEN_TO_ALL, 'X-Request-Id': requestId });
    response.end(status === 304 ? undefined : page.body);
    const address = deps.clientAddress(request);
    tellRequest(deps, { requestId, address, method: 'GET', route: PATH, status }, started);
    return true;
  };
