import { LIMITS } from '@svc/contracts';
import { isLoopbackHost } from '../network/allowed-url.ts';
import type { Connecting } from '../network/connector.ts';
import { createGuardedFetch, refusalOf } from '../network/guarded-fetch.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';

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
  const allowLoopback = isLoopbackHost(URL.parse(store)?.hostname ?? '');
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
