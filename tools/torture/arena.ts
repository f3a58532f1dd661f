import { bundleOf, type Client, clientOf, type Ref } from './client.ts';
import type { Outcome } from './outcome.ts';
import type { Backend, Site } from './site.ts';
import { type ProcessOptions, type StoreProcess, startStoreProcess } from './store-process.ts';
import { createWitness, type Witness } from './witness.ts';

/** A store process on a site that can be restarted after a crash, with a client of the current process. */
export type Arena = {
  site: Site;
  store: StoreProcess;
  client: Client;
  /** Records everything acknowledged to the client, from the beginning. */
  witness: Witness;
  /** Starts the store again after its process has exited. */
  restart(options?: ProcessOptions): Promise<void>;
  /** Time until ready of each restart, in milliseconds. */
  restarts: number[];
};

/** Starts one of the processes of a site. */
export const startOn = (site: Site, process = 0, options?: ProcessOptions): Promise<StoreProcess> =>
  startStoreProcess(site.settings(process), options);

async function arenaOn(site: Site, store: StoreProcess): Promise<Arena> {
  const client = clientOf(store.url);
  await client.makePublisher('example');
  const witness = await createWitness(client);
  const arena: Arena = {
    site,
    store,
    witness,
    client: witness.watch(client),
    restarts: [],
    async restart(options) {
      await arena.store.gone;
      const began = performance.now();
      arena.store = await startOn(site, 0, options);
      arena.client = witness.watch(clientOf(arena.store.url));
      const { status } = await arena.client.get('/readyz');
      if (status === 200) arena.restarts.push(performance.now() - began);
    },
  };
  return arena;
}

/** Runs a function on a new site with one store and the publisher `example`, then removes the site. */
export async function inArena<T>(backend: Backend, work: (arena: Arena) => Promise<T>): Promise<T> {
  const site = await backend.open();
  try {
    const store = await startOn(site);
    let arena: Arena | null = null;
    try {
      arena = await arenaOn(site, store);
      return await work(arena);
    } finally {
      await (arena?.store ?? store).stop();
    }
  } finally {
    await site.close();
  }
}

/** Runs an experiment in an arena, then checks from outside that everything acknowledged is intact. */
export const experimentIn = (backend: Backend, work: (arena: Arena) => Promise<Outcome>): Promise<Outcome> =>
  inArena(backend, async (arena) => {
    const { counts, failures } = await work(arena);
    const faults = await arena.witness.faults(arena.client);
    const { restarts, witness } = arena;
    const started = restarts.length === 0 ? '' : `; ready within ${Math.round(Math.max(...restarts))} ms`;
    return {
      counts: `${counts}; ${witness.count()}${started}`,
      failures: [...failures, ...faults.map((fault) => `at the end: ${fault}`)],
    };
  });

/** Stops the store gracefully, and starts it again. */
export async function restart(arena: Arena): Promise<void> {
  await arena.store.stop();
  await arena.restart();
}

let apps = 0;

/** The id of a new app. */
export const newApp = (): string => {
  apps += 1;
  return `com.example.app${apps}`;
};

/** Uploads the first version of an app, which waits for review. */
export async function uploadForReview(client: Client, appId: string): Promise<Ref> {
  const ref = { appId, version: '1.0.0' };
  const { status, body } = await client.upload(bundleOf(ref));
  if (status !== 201 || body.status !== 'in_review')
    throw new Error(`The first upload returned ${status} ${body.code ?? body.status}.`);
  return ref;
}

/** Publishes the first version of an app; its updates need no review. */
export async function publishFirst(client: Client, appId: string): Promise<Ref> {
  const ref = await uploadForReview(client, appId);
  const { status } = await client.approve(ref);
  if (status !== 200) throw new Error(`The first approval returned ${status}.`);
  return ref;
}

/** Generates the versions of an app: 1.1.0, 1.2.0, … */
export function versionsOf(appId: string): () => Ref {
  let minor = 0;
  return () => {
    minor += 1;
    return { appId, version: `1.${minor}.0` };
  };
}
