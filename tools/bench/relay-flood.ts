import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, type Running, whileStoreRuns } from './lib/processes.ts';
import { memoryOf } from './store-memory.ts';

const STATES = 300_000;
const NETWORKS = 1_000;
const AT_ONCE = 64;
/** One real sign-in per this many forged responses. */
const ONE_IN = 2_000;

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

function get(url: string, address: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, headers: { 'x-forwarded-for': address } }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.on('error', reject).end();
  });
}

const newState = (): string => randomBytes(16).toString('base64url');

/** A user signs in from another network, and the client polls. @returns whether it received the code */
async function signIn(url: string, n: number): Promise<boolean> {
  const state = newState();
  const address = `203.0.${Math.floor(n / 250) % 250}.${n % 250}`;
  await get(`${url}/apps/oauth/callback?state=${state}&code=real`, address);
  const { text } = await get(`${url}/api/apps/oauth/result?state=${state}`, address);
  return text === '{"code":"real"}';
}

/** Peak memory of the store in the first and second half of the flood, in MB. */
function watchHalves(store: Running) {
  const most = { first: 0, second: 0 };
  return {
    most,
    look(n: number): void {
      const half = n < STATES / 2 ? 'first' : 'second';
      most[half] = Math.max(most[half], memoryOf(store));
    },
  };
}

/** A flood of forged authorization responses from a thousand networks, with real sign-ins among them. */
export const relayFlood = (): Promise<Figure[]> =>
  inTempFolder((folder) =>
    whileStoreRuns(
      folder,
      async (store) => {
        const { url } = store;
        const before = memoryOf(store);
        const memory = watchHalves(store);
        let [sent, real, succeeded] = [0, 0, 0];
        const flood = async () => {
          for (let n = sent++; n < STATES; n = sent++) {
            await get(
              `${url}/apps/oauth/callback?state=${newState()}&code=flood`,
              `198.51.${n % 4}.${n % (NETWORKS / 4)}`,
            );
            if (n % ONE_IN !== 0) continue;
            real += 1;
            if (await signIn(url, real)) succeeded += 1;
            memory.look(n);
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, flood));
        const { first, second } = memory.most;
        const flooded = `${STATES.toLocaleString('en')} forged responses from ${NETWORKS.toLocaleString('en')} networks`;
        return [
          {
            name: `Sign-ins that succeed during ${flooded}`,
            measured: `${succeeded} of ${real}`,
            value: (100 * succeeded) / real,
            unit: ' %',
            bound: { least: 100 },
          },
          {
            // How far V8 lets garbage grow depends on the machine; that it stops growing does not.
            name: `Peak memory of the store in the second half of the same, against the first half`,
            measured: `${second.toFixed(0)} against ${first.toFixed(0)} MB, ${before.toFixed(0)} MB before`,
            value: second / first,
            unit: ' times',
            bound: { most: 1.1 },
          },
        ];
      },
      { SVC_TRUSTED_PROXIES: '127.0.0.1' },
    ),
  );
