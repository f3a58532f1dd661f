import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProcessRenderer } from '../../../apps/store/src/adapters/picture/process-renderer.ts';
import { openStore } from '../../../apps/store/src/composition/open-store.ts';
import { readSettings } from '../../../apps/store/src/composition/settings.ts';
import { inspectBundle } from '../../../apps/store/src/core/domain/versions/inspect-bundle.ts';
import type { Sites } from '../../../apps/store/src/core/publishers/site.ts';
import { openUpload } from '../../../apps/store/src/core/publishing/open-bundle.ts';

const nowhere = () => Promise.reject(new Error('Nothing is asked for here.'));
const NO_SITES: Sites = { txt: nowhere, file: nowhere, post: nowhere, isPrivate: async () => false };

export const OPEN_STORE = { url: 'http://localhost', token: 'benchmark-0123456789' };

/**
 * Runs work with a store in this process, without a socket.
 * @param sites what it reads of websites
 * @param repeatsJobs whether the work of extensions is repeated; else it is done by name, as what is counted
 */
export async function whileOpen<T>(
  folder: string,
  work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
  {
    sites = {},
    environment = {},
    clock = () => new Date(),
    repeatsJobs = true,
  }: {
    sites?: Partial<Sites>;
    environment?: Record<string, string>;
    clock?: () => Date;
    repeatsJobs?: boolean;
  } = {},
): Promise<T> {
  const write = (_: object, message: string) => void process.stderr.write(`${message}\n`);
  const log = { info() {}, warn() {}, error: write };
  const settings = readSettings({
    SVC_DATA_DIR: join(folder, 'data'),
    SVC_BASE_URL: OPEN_STORE.url,
    SVC_ADMIN_TOKEN: OPEN_STORE.token,
    ...environment,
  });
  const outside = { clock, random: randomBytes, newId: randomUUID, fetch, log };
  const ambient = { ...outside, sites: { ...NO_SITES, ...sites }, pictures: createProcessRenderer() };
  const inspector = {
    threads: 1,
    open: async (file: string, { costMs }: { costMs: number }) =>
      openUpload(await readFile(file), settings, costMs),
    inspect: async (file: string) => inspectBundle(await readFile(file), settings),
  };
  const store = await openStore(settings, ambient, inspector, { repeatsJobs });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
