import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Arena, experimentIn, newApp, publishFirst, restart, versionsOf } from '../arena.ts';
import { bundleOf, type Ref } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';

/** Descriptors that the store may open: it has some 50 at rest. */
const LIMITS = 'ulimit -n 120';
const CONNECTIONS = 200;
/** Connections that end during a round, so that some requests get a descriptor and others none. */
const MAX_FREED = 12;

/** Opens idle connections, of which the store accepts as many as it has descriptors. */
async function occupy(url: string): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(Number(port), hostname);
    // The store refuses some, or ends them.
    socket.on('error', () => undefined);
    return socket;
  });
  const settled = (socket: Socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  await Promise.all(sockets.map((socket) => settled(socket).catch(() => undefined)));
  return sockets;
}

/** What needs descriptors: a drawing process, a temporary file, a bundle, files of the pages. */
const workOf = ({ client }: Arena, next: () => Ref) => [
  () => client.get(`/preview.png?v=${Math.random()}`),
  () => client.upload(bundleOf(next())),
  () => client.get('/api/apps/catalog'),
  () => client.get('/moderation'),
  () => client.upload(bundleOf(next())),
];

/** One storm of connections, requests during it, and an upload afterwards. @returns failures */
async function storm(arena: Arena, next: () => Ref, freed: number, statuses: Map<number, number>) {
  const failures: string[] = [];
  const idle = await occupy(arena.store.url);
  for (const socket of idle.splice(0, freed)) socket.destroy();
  for (const { status } of await Promise.all(workOf(arena, next).map((ask) => ask()))) {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 500) failures.push('a request was answered 500');
  }
  for (const socket of idle) socket.destroy();
  const { status } = await arena.client.upload(bundleOf(next()));
  if (status !== 201) failures.push(`an upload afterwards was answered ${status}`);
  return failures;
}

const run = ({ backend, random, count }: Setup): Promise<Outcome> =>
  experimentIn(backend, async (arena) => {
    const app = newApp();
    await publishFirst(arena.client, app);
    const next = versionsOf(app);
    await arena.store.stop();
    await arena.restart({ limits: LIMITS });
    const failures: string[] = [];
    const statuses = new Map<number, number>();
    for (let round = 1; round <= count && !arena.store.isGone(); round += 1) {
      const faults = await storm(arena, next, random.below(MAX_FREED), statuses);
      failures.push(...faults.map((fault) => `round ${round}: ${fault}`));
    }
    if (arena.store.isGone()) failures.push(`the store died: ${arena.store.said().slice(-500)}`);
    failures.push(...arena.store.faults());
    await restart(arena);
    const answers = [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ');
    return { counts: `${count} rounds of ${CONNECTIONS} idle connections: ${answers}`, failures };
  });

/** Idle connections up to the limit of descriptors, and requests that need some. `count` is the rounds. */
export const descriptors: Experiment = {
  name: 'descriptors',
  backends: ['sqlite', 'postgres'],
  count: 20,
  run,
};
