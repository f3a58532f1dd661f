import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { COSTLY, type Costly } from './bundles.ts';

/** One attacker: kind of bundle, account, address, and number of concurrent uploads. */
export type Attack = {
  send: Costly | 'slow';
  token: string;
  /** The publisher that the manifest names. */
  publisher: string;
  address: string;
  concurrency: number;
};

/** The message that starts an attacker process. */
export type Orders = { url: string; attacks: Attack[] };

const SLOW_BYTES = 20 * 2 ** 20;
/** Pause between uploads: attackers ignore Retry-After. */
const PAUSE_MS = 250;

const agent = new Agent({ keepAlive: false, maxSockets: 1_000 });

/** Sends one upload. Resolves with the status, or 0 when the connection broke. */
function send(url: string, { token, address }: Attack, bytes: Buffer | null): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/zip',
      'content-length': bytes?.byteLength ?? SLOW_BYTES,
      'x-forwarded-for': address,
    };
    const outgoing = request(`${url}/api/apps/publish`, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.on('error', () => resolve(0));
    if (bytes) {
      outgoing.end(bytes);
      return;
    }
    // One KiB per second, without end.
    const drip = setInterval(() => outgoing.write(Buffer.alloc(1024)), 1_000);
    outgoing.on('close', () => clearInterval(drip));
  });
}

/** Attacks until the process is killed; counts the responses by status. */
function attack({ url, attacks }: Orders): Map<number, number> {
  const bundles = attacks.map(({ send: kind, publisher }) =>
    kind === 'slow' ? null : COSTLY[kind](publisher),
  );
  // A real attacker has its own machine: lower the priority once the bundles are built.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const answers = new Map<number, number>();
  const repeat = async (attacker: Attack, bytes: Buffer | null) => {
    for (;;) {
      const status = await send(url, attacker, bytes);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      await sleep(PAUSE_MS);
    }
  };
  for (const [index, attacker] of attacks.entries()) {
    for (let n = 0; n < attacker.concurrency; n += 1) void repeat(attacker, bundles[index] ?? null);
  }
  return answers;
}

if (import.meta.main) {
  process.once('message', (orders: Orders) => {
    const answers = attack(orders);
    process.send?.('begun');
    process.on('message', () => process.send?.([...answers]));
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}
