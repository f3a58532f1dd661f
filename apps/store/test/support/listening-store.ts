import { onTestFinished } from 'vitest';
import { listen } from '../../src/composition/serve.ts';
import type { UploadBounds } from '../../src/core/publishing/bounds.ts';
import { openTestStore } from './test-store.ts';

/** A store on a real socket, with the token of a publisher. */
export async function listening(uploadBounds: Partial<UploadBounds> = {}) {
  const store = await openTestStore({ uploadBounds });
  const token = await store.publisherToken();
  const server = await listen(store, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  return { store, token, port: server.port };
}
