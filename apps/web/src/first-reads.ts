import { type ApiRequest, apiRequest } from '@svc/contracts/client';
import { hasExtension } from './extensions/has.ts';

/**
 * Sends a request that reads. Cached responses are revalidated: public ones may be cached for a while, and users must see their own
 * changes.
 */
export const startRead = ({ path }: ApiRequest<unknown>): Promise<Response> =>
  fetch(path, { cache: 'no-cache', headers: { Accept: 'application/json' } });

/** The request for updates that wait only because words that agents read change. */
export const OF_WORDS = apiRequest('GET /api/moderation/queue', {
  query: { reason: 'flagged:tools.changed', soleReason: true, superseded: false },
});

/** The pages of a signed-in user. That which opens untrusted bundles shares scripts with them, and may send no request. */
const PERSONAL = /^\/(?:account|moderation|admin)(?:\/|$)/;

const PUBLISHER = /^\/account\/publishers\/([a-z0-9-]+)\/?$/;

/** What the view of a URL reads first. A request that its view does not send in the same words is sent twice. */
function firstReads({ pathname: path, search }: Location): ApiRequest<unknown>[] {
  const slug = PUBLISHER.exec(path)?.[1];
  if (slug !== undefined)
    return [
      apiRequest('GET /api/publishers/:slug', { params: { slug } }),
      apiRequest('GET /api/publishers/:slug/offers', { params: { slug } }),
      apiRequest('GET /api/publishers/:slug/apps', { params: { slug } }),
    ];
  // With filters it is the list of versions.
  if (path !== '/moderation' || search !== '') return [];
  return [
    apiRequest('GET /api/moderation/queue', { query: { superseded: false, limit: 50 } }),
    OF_WORDS,
    apiRequest('GET /api/moderation/moderators'),
    ...(hasExtension('servers') ? [apiRequest('GET /api/moderation/drift')] : []),
    ...(hasExtension('appeals') ? [apiRequest('GET /api/moderation/appeals')] : []),
    ...(hasExtension('reports') ? [apiRequest('GET /api/moderation/reports')] : []),
    ...(hasExtension('ratings') ? [apiRequest('GET /api/moderation/reviews')] : []),
    ...(hasExtension('cases') ? [apiRequest('GET /api/moderation/cases')] : []),
  ];
}

const early = new Map<string, Promise<Response>>();

/** Sends what the view of a URL reads first, before the view is there. */
export function sendFirstReads(location: Location): void {
  if (!PERSONAL.test(location.pathname)) return;
  for (const request of [apiRequest('GET /api/people/me'), ...firstReads(location)]) {
    const answer = startRead(request);
    early.set(request.path, answer);
    // A failure is that of the view, if it sends the request at all.
    answer.catch(() => undefined);
  }
}

/** How long an early answer is that of the first view, in milliseconds since the page was opened. */
const FIRST_MS = 30_000;

/**
 * The answer to a request that was sent before its view was there; once, and not long after, as a later view wants what has changed
 * since.
 */
export function takeEarly({ path }: ApiRequest<unknown>): Promise<Response> | undefined {
  if (performance.now() > FIRST_MS) early.clear();
  const answer = early.get(path);
  early.delete(path);
  return answer;
}
