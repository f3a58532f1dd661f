import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from '@svc/contracts';
import type { EncodedPage } from '../http/encoded-page.ts';
import { encodingFor } from '../http/encoding.ts';
import { isHeld, notModified } from '../http/send.ts';
import type { PageCache } from '../platform/page-cache.ts';
import { OPEN_TO_ALL } from './bind-route.ts';
import { type Observers, tellRequest } from './observe.ts';

/** Answers a request from memory, or leaves it alone and returns false. */
export type AnswerFromMemory = (request: IncomingMessage, response: ServerResponse) => boolean;

const CATALOG = ROUTES.catalog.path;

/** What the address of each app begins with. */
const APPS = '/api/apps/';

/** The query of an address, with its question mark; empty when it has none. It is the key under which a page is held. */
export function searchOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

type Memory = { pages: PageCache<EncodedPage>; details: PageCache<EncodedPage> };

/** What is held for an address, and the route it belongs to. */
function findHeld(
  { pages, details }: Memory,
  url: string,
): { held: EncodedPage | null; route: string } | null {
  if (!url.startsWith(APPS)) return null;
  const search = searchOf(url);
  const isCatalog = url.length - search.length === CATALOG.length && url.startsWith(CATALOG);
  return isCatalog
    ? { held: pages.peek(search), route: CATALOG }
    : { held: details.peek(url), route: ROUTES.appDetail.path };
}

/**
 * Sends the catalogue pages and details of apps that are held, ahead of the router: they are most of what a store is asked
 * for, and routing costs more than sending. Whatever is not held goes the ordinary way, which answers with the same
 * headers.
 */
export const answerFromMemory =
  (deps: Observers & Memory & { newId(): string }): AnswerFromMemory =>
  (request, response) => {
    const found = request.method === 'GET' ? findHeld(deps, request.url ?? '') : null;
    const page = found?.held?.ready(encodingFor(request.headers['accept-encoding'] as string | undefined));
    if (!found || !page) return false;
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
    tellRequest(deps, { requestId, address, method: 'GET', route: found.route, status }, started);
    return true;
  };
