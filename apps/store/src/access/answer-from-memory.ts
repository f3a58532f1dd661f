import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from '@svc/contracts';
import type { EncodedPage, ReadyPage } from '../http/encoded-page.ts';
import { encodingFor } from '../http/encoding.ts';
import { type FlatHeaders, flattenHeaders } from '../http/flat-headers.ts';
import { isHeld } from '../http/send.ts';
import type { PageCache } from '../platform/page-cache.ts';
import { OPEN_TO_ALL } from './bind-route.ts';
import { type Observers, tellRequest } from './observe.ts';

/**
 * Answers a request from memory, or leaves it alone and returns false. Where the database must be asked first, it returns true and
 * gives what it cannot answer to `ordinary`.
 */
export type AnswerFromMemory = (
  request: IncomingMessage,
  response: ServerResponse,
  ordinary: () => void,
) => boolean;

const CATALOG = ROUTES.catalog.path;

/** What the address of each app begins with. */
const APPS = '/api/apps/';

/** What the address of each page of an app begins with. */
const APP_PAGES = '/apps/';

/** The query of an address, with its question mark; empty when it has none. It is the key under which a page is held. */
export function searchOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

/** What the address of each page of a category begins with. */
const CATEGORY_PAGES = '/categories/';

/** What the address of each page of a publisher begins with. */
const PUBLISHER_PAGES = '/publishers/';

type Memory = { pages: PageCache<EncodedPage>; details: PageCache<EncodedPage> };

/** What is held for an address, and the route it belongs to. */
function findHeld(
  { pages, details }: Memory,
  url: string,
): { held: EncodedPage | null; route: string } | null {
  if (url === '/' || url.startsWith('/?')) {
    return { held: pages.peek(url), route: ROUTES.cataloguePage.path };
  }
  if (url.startsWith(CATEGORY_PAGES)) return { held: pages.peek(url), route: ROUTES.categoryPage.path };
  if (url.startsWith(PUBLISHER_PAGES)) return { held: details.peek(url), route: ROUTES.publisherPage.path };
  if (url.startsWith(APP_PAGES)) return { held: details.peek(url), route: ROUTES.appPage.path };
  if (!url.startsWith(APPS)) return null;
  const search = searchOf(url);
  const isCatalog = url.length - search.length === CATALOG.length && url.startsWith(CATALOG);
  return isCatalog
    ? { held: pages.peek(search), route: CATALOG }
    : { held: details.peek(url), route: ROUTES.appDetail.path };
}

/** Makes the headers of each page once. */
function flatHeaders(): (page: ReadyPage, route: string) => FlatHeaders {
  const made = new WeakMap<ReadyPage, FlatHeaders>();
  return (page, route) => {
    const extra = route.startsWith('/api/') ? OPEN_TO_ALL : {};
    const flat = made.get(page) ?? flattenHeaders(page.headers, page.body.byteLength, extra);
    made.set(page, flat);
    return flat;
  };
}

/**
 * Sends the pages and details of catalogue and apps that are held, ahead of the router: they are most of what a store is asked
 * for, and routing costs more than sending. Whatever is not held goes the ordinary way, which answers with the same
 * headers.
 */
export function answerFromMemory(deps: Observers & Memory & { newId(): string }): AnswerFromMemory {
  const headersOf = flatHeaders();
  return (request, response) => {
    const found = request.method === 'GET' ? findHeld(deps, request.url ?? '') : null;
    const page = found?.held?.ready(encodingFor(request.headers['accept-encoding'] as string | undefined));
    if (!found || !page) return false;
    const started = performance.now();
    const requestId = deps.newId();
    const status = isHeld(request.headers['if-none-match'], page.headers.ETag) ? 304 : 200;
    response.writeHead(status, [...headersOf(page, found.route)[status], 'X-Request-Id', requestId]);
    response.end(status === 304 ? undefined : page.body);
    const address = deps.clientAddress(request);
    tellRequest(deps, { requestId, address, method: 'GET', route: found.route, status }, started);
    return true;
  };
}
