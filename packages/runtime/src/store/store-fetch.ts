import { LIMITS } from '@svc/contracts';
import { isThisMachine } from '@svc/contracts/this-machine';
import { getGlobalDispatcher } from 'undici/index.js';
import type { Connecting } from '../network/connector.ts';
import { createGuardedFetch, refusalOf } from '../network/guarded-fetch.ts';
import type { Sender } from '../network/network.ts';
import { sendRequest } from '../network/send-request.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';

const PACKED = 'gzip, br';

/**
 * A `fetch` for stores. The user chose the address, so any network is allowed. It follows no redirect: with `redirect: 'manual'` the
 * redirect is returned. Callers limit size and time. Its requests throw a TypeError for a redirect otherwise, and errors of undici.
 */
export const storeFetchOver =
  ({ send }: Pick<Sender, 'send'>): typeof fetch =>
  async (input, init = {}) => {
    if (input instanceof Request || init.body)
      throw new TypeError('Requests to a store have a URL and no body.');
    const headers = new Headers(init.headers);
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', PACKED);
    const signal = init.signal ?? new AbortController().signal;
    const request = { url: new URL(input), method: init.method ?? 'GET', headers, body: null };
    const response = await send(request, { signal, maxBytes: Number.POSITIVE_INFINITY });
    // 304 answers a request with an ETag, and leads nowhere (RFC 9110 section 15.4.5).
    const isRedirect = response.status >= 300 && response.status < 400 && response.status !== 304;
    if (!isRedirect || init.redirect === 'manual') return response;
    await response.body?.cancel();
    throw new TypeError('The store responded with a redirect.');
  };

/** The `fetch` for stores that uses the proxy of the process (`enableProxies`). */
export const storeFetch: typeof fetch = storeFetchOver({
  send: (request, limits) => sendRequest(getGlobalDispatcher(), request, limits),
});

/** Reads a response of the storage behind a store, at the URL that the store gave. Closes the connection afterwards. */
export type StorageFetch = <T>(
  address: string,
  signal: AbortSignal,
  read: (response: Response) => Promise<T>,
) => Promise<T>;

const SECOND = 1_000;

/** Short, so that a client that cannot reach the storage still has time to download from the store. The signal limits the total. */
const BOUNDS = {
  connectMs: 5 * SECOND,
  headersMs: 10 * SECOND,
  silenceMs: 10 * SECOND,
  totalMs: Number.POSITIVE_INFINITY,
  maxBytes: LIMITS.bundle.bytes,
};

/**
 * Creates the fetch for the storage that a store redirects to. The user did not choose its address, so the rules for servers of apps
 * apply: https on port 443, public addresses, and this machine only for a store on this machine. The storage gets neither token nor
 * install id, and its redirects are not followed.
 * @param store URL of the store
 * @throws RuntimeError as a guarded fetch does; `server-failed` for any status but 200; errors of `read`
 */
export function createStorageFetch(
  store: string,
  options: { system: Pick<System, 'sleep'>; connecting?: Connecting | undefined },
): StorageFetch {
  const allowLoopback = isThisMachine(URL.parse(store)?.hostname ?? '');
  const { system, connecting } = options;
  return async (address, signal, read) => {
    const fetch = createGuardedFetch({
      system,
      // Any name is allowed; the guard checks its addresses.
      allowed: [URL.parse(address)?.hostname ?? ''],
      allowLoopback,
      bounds: BOUNDS,
      ...(connecting && { connecting }),
    });
    try {
      const headers = { Accept: 'application/zip' };
      const response = await fetch(address, { headers, redirect: 'manual', signal });
      if (response.status === 200) return await read(response);
      throw new RuntimeError(
        'server-failed',
        `The storage of the store answers with HTTP ${response.status}.`,
      );
    } catch (error) {
      throw refusalOf(error, signal);
    } finally {
      await fetch.close();
    }
  };
}
