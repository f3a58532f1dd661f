import { storeFetch } from '../../src/store/store-fetch.ts';
import { createStoreReader } from '../../src/store/store-reader.ts';
import { startSigningStore } from './signing-store.ts';
import { system } from './world.ts';

type Given = Partial<Parameters<typeof createStoreReader>[0]>;

/** A store with an app, and its reader. */
export async function openReader(given: Given = {}) {
  const store = await startSigningStore();
  store.publish();
  const deps = { system, fetch: storeFetch, store: store.url, installId: 'install-1', ...given };
  return { store, reader: createStoreReader(deps) };
}
