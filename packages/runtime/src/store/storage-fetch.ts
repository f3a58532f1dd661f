import { LIMITS } from '@svc/contracts';
import { isLoopbackHost } from '../network/allowed-url.ts';
import type { Connecting } from '../network/connector.ts';
import { createGuardedFetch, refusalOf } from '../network/guarded-fetch.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';

/** Reads an answer of the storage behind a store, at the address that the store gave. The connection is closed afterwards. */
export type StorageFetch = <T>(
  address: string,
  signal: AbortSignal,
  read: (response: Response) => Promise<T>,
) => Promise<T>;

const SECOND = 1_000;

/** Short, so that a client that cannot reach the storage still has time to ask the store. The signal bounds the whole. */
const BOUNDS = {
  connectMs: 5 * SECOND,
  headersMs: 10 * SECOND,
  silenceMs: 10 * SECOND,
  totalMs: Number.POSITIVE_INFINITY,
  maxBytes: LIMITS.bundle.bytes,
};

/**
 * Reaches the storage that a store redirects to for the bytes of a bundle. The user chose the store, and not that address, so it is
 * asked as a server of an app is: over https on port 443, by a name whose addresses are of the public Internet, and on this machine
 * only for a store on this machine. It gets neither token nor id of the installation, and no redirect of it is followed.
 * @param store address of the store
 * @throws RuntimeError as a guarded fetch does; `server-failed` for anything but 200; what `read` throws
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
      // The name alone does not matter: where it leads to does.
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
