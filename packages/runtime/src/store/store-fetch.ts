import { getGlobalDispatcher } from 'undici';
import { sendRequest } from '../network/send-request.ts';

const PACKED = 'gzip, br';

/**
 * Reaches a store: a `fetch` for addresses that the person has chosen, whichever network they lie in, and that follows no
 * redirect: with `redirect: 'manual'` it is the answer. Proxies are used as Node is told to (`NODE_USE_ENV_PROXY`). Its caller
 * bounds what it reads, and how long.
 * @throws TypeError for a redirect otherwise; what undici throws
 */
export const storeFetch: typeof fetch = async (input, init = {}) => {
  if (input instanceof Request || init.body) throw new TypeError('A store is asked for addresses alone.');
  const headers = new Headers(init.headers);
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', PACKED);
  const signal = init.signal ?? new AbortController().signal;
  const request = { url: new URL(input), method: init.method ?? 'GET', headers, body: null };
  const response = await sendRequest(getGlobalDispatcher(), request, {
    signal,
    maxBytes: Number.POSITIVE_INFINITY,
  });
  if (response.status < 300 || response.status >= 400 || init.redirect === 'manual') return response;
  await response.body?.cancel();
  throw new TypeError('The store redirects, which no store does.');
};
