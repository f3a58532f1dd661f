import { collectGarbage } from '../../apps/store/src/platform/collect-garbage.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder } from './lib/processes.ts';
import { whileOpen } from './lib/while-open.ts';

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
