import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openStore } from '../../apps/store/src/composition/open-store.ts';
import { readSettings } from '../../apps/store/src/composition/settings.ts';
import type { Sites } from '../../apps/store/src/features/publishers/site.ts';
import { collectGarbage } from '../../apps/store/src/platform/collect-garbage.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder } from './lib/processes.ts';

const MB = 1_000_000;
const WARM_UP = 4_000;
const PENDING = 10_000;
/** The limit per address is twenty. */
const PER_ADDRESS = 20;

/** Live memory in bytes, after garbage collection. */
function held(): number {
  collectGarbage('major');
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Runs work with a store without a socket. */
async function whileOpen<T>(
  folder: string,
  work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
): Promise<T> {
  const log = {
    info() {},
    warn() {},
    error: (_: object, message: string) => void process.stderr.write(message),
  };
  const nowhere = () => Promise.reject(new Error('Nothing is asked for here.'));
  const sites = { txt: nowhere, file: nowhere } as unknown as Sites;
  const pictures = { draw: nowhere, drawPreview: nowhere };
  const outside = { clock: () => new Date(), random: randomBytes, newId: randomUUID, fetch };
  const ambient = { ...outside, sites, pictures, log };
  const settings = readSettings({ SVC_DATA_DIR: join(folder, 'data') });
  const nothing = () => Promise.reject(new Error('Nothing is uploaded here.'));
  const inspector = { threads: 1, open: nothing, inspect: nothing };
  const store = await openStore(settings, ambient, inspector);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Memory of a store for ten thousand pending device sign-ins. */
export const deviceMemory = (): Promise<Figure> =>
  inTempFolder((folder) =>
    whileOpen(folder, async ({ app }) => {
      const start = async (n: number) => {
        const address = Math.floor(n / PER_ADDRESS);
        const incoming = { headers: {}, socket: { remoteAddress: `10.0.${address >> 8}.${address & 255}` } };
        const response = await app.request('/api/developer/device/start', { method: 'POST' }, { incoming });
        if (!response.ok) throw new Error(`A device sign-in returned ${response.status}.`);
      };
      for (let n = 0; n < WARM_UP; n += 1) await start(n);
      const before = held();
      for (let n = WARM_UP; n < WARM_UP + PENDING; n += 1) await start(n);
      const after = held();
      return {
        name: `Memory of a store for ${PENDING} pending device sign-ins`,
        measured: `${(after / MB).toFixed(1)} MB, against ${(before / MB).toFixed(1)} MB before`,
        value: (after - before) / MB,
        unit: ' MB',
        bound: { most: 2 },
      };
    }),
  );
