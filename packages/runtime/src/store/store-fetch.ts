import { getGlobalDispatcher } from 'undici';
import { sendRequest } from '../network/send-request.ts';

const LOOPBACK = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The canonical URL of a store: without a trailing slash.
 * @throws TypeError unless the URL is https, or http on this machine, without credentials, query and fragment
 */
export function storeAddress(given: string): string {
  const url = URL.parse(given);
  // The message does not repeat the URL, as it may contain a secret and end up in logs.
  if (!url || url.username || url.password || url.search || url.hash) {
    throw new TypeError('The address of a store has no user name, password, query or fragment.');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname))) {
    throw new TypeError('The address of a store begins with https://, or with http:// on this machine.');
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

const PACKED = 'gzip, br';

/**
 * The `fetch` for stores. The user chose the address, so any network is allowed. It follows no redirect: with `redirect: 'manual'` the
 * redirect is returned. Uses the proxy of the process (`enableProxies`). Callers limit size and time.
 * @throws TypeError for a redirect otherwise; errors of undici
 */
export const storeFetch: typeof fetch = async (input, init = {}) => {
  if (input instanceof Request || init.body)
    throw new TypeError('Requests to a store have a URL and no body.');
  const headers = new Headers(init.headers);
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', PACKED);
  const signal = init.signal ?? new AbortController().signal;
  const request = { url: new URL(input), method: init.method ?? 'GET', headers, body: null };
  const response = await sendRequest(getGlobalDispatcher(), request, {
    signal,
    maxBytes: Number.POSITIVE_INFINITY,
  });
  // 304 answers a request with an ETag, and leads nowhere (RFC 9110 section 15.4.5).
  const isRedirect = response.status >= 300 && response.status < 400 && response.status !== 304;
  if (!isRedirect || init.redirect === 'manual') return response;
  await response.body?.cancel();
  throw new TypeError('The store responded with a redirect.');
};
