import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from '@svc/contracts';
import type { EncodedPage, ReadyPage } from '../http/encoded-page.ts';
import { encodingFor } from '../http/encoding.ts';
import { type FlatHeaders, flattenHeaders } from '../http/flat-headers.ts';
import { matchesEtag } from '../http/send.ts';
import type { PageCache } from '../platform/page-cache.ts';
import { OPEN_TO_ALL } from './bind-route.ts';
import { type Observers, reportRequest } from './observe.ts';

/**
 * Answers a request from memory, or returns false. When it must query the database first, it returns true, and passes a request that it
 * cannot answer to `ordinary`.
 */
export type AnswerFromMemory = (
  request: IncomingMessage,
  response: ServerResponse,
  ordinary: () => void,
) => boolean;

const CATALOG = ROUTES.catalog.path;

const APPS = '/api/apps/';

/** The path prefix of app pages. */
const APP_PAGES = '/apps/';

/** The query of a URL, with its question mark; empty when there is none. It is the cache key of a page. */
export function searchOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

const CATEGORY_PAGES = '/categories/';

/** The path prefix of publisher pages. */
const PUBLISHER_PAGES = '/publishers/';

type Memory = { pages: PageCache<EncodedPage>; details: PageCache<EncodedPage> };

/** Finds the cached response of a URL, and its route. */
function findCached(
  { pages, details }: Memory,
  url: string,
): { cached: EncodedPage | null; route: string } | null {
  if (url === '/' || url.startsWith('/?')) {
    return { cached: pages.peek(url), route: ROUTES.cataloguePage.path };
  }
  if (url.startsWith(CATEGORY_PAGES)) return { cached: pages.peek(url), route: ROUTES.categoryPage.path };
  if (url.startsWith(PUBLISHER_PAGES)) return { cached: details.peek(url), route: ROUTES.publisherPage.path };
  if (url.startsWith(APP_PAGES)) return { cached: details.peek(url), route: ROUTES.appPage.path };
  if (!url.startsWith(APPS)) return null;
  const search = searchOf(url);
  const isCatalog = url.length - search.length === CATALOG.length && url.startsWith(CATALOG);
  return isCatalog
    ? { cached: pages.peek(search), route: CATALOG }
    : { cached: details.peek(url), route: ROUTES.appDetail.path };
}

/** Flattens the headers of each page once. */
function flatHeaders(): (page: ReadyPage, route: string) => FlatHeaders {
  const flattened = new WeakMap<ReadyPage, FlatHeaders>();
  return (page, route) => {
    const extra = route.startsWith('/api/') ? OPEN_TO_ALL : {};
    const flat = flattened.get(page) ?? flattenHeaders(page.headers, page.body.byteLength, extra);
    flattened.set(page, flat);
    return flat;
  };
}

/**
 * Creates a fast path ahead of the router for cached pages of the catalogue and of apps: they are most of the requests of a store, and
 * routing costs more than sending. The router answers all other requests, with the same headers.
 */
export function answerFromMemory(deps: Observers & Memory & { newId(): string }): AnswerFromMemory {
  const headersOf = flatHeaders();
  return (request, response) => {
    const match = request.method === 'GET' ? findCached(deps, request.url ?? '') : null;
    const page = match?.cached?.ready(encodingFor(request.headers['accept-encoding'] as string | undefined));
    if (!match || !page) return false;
    const started = performance.now();
    const requestId = deps.newId();
    const status = matchesEtag(request.headers['if-none-match'], page.headers.ETag) ? 304 : 200;
    response.writeHead(status, [...headersOf(page, match.route)[status], 'X-Request-Id', requestId]);
    response.end(status === 304 ? undefined : page.body);
    const address = deps.clientAddress(request);
    reportRequest(deps, { requestId, address, method: 'GET', route: match.route, status }, started);
    return true;
  };
}
