import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { guarded } from '@svc/contracts/guarded';
import type { OpenSharedStore, SharedStore } from '../storage/shared-store.ts';

// Runs a shared store for the runtime, which waits for some requests with its whole thread. `workerData` has the module of the store.

type Request = { id: number; method: keyof SharedStore; args: never[] };

const given = workerData as { module: string; options: never; answered: Int32Array; waited: MessagePort };
const main = parentPort as MessagePort;

const opened = (import(given.module) as Promise<{ default: OpenSharedStore }>).then((module) =>
  module.default(given.options, (set) => main.postMessage({ changed: set })),
);
// Each request is answered with its error.
opened.catch(() => undefined);

async function answer({ id, method, args }: Request) {
  try {
    const store = (await opened) as Record<keyof SharedStore, (...args: never[]) => Promise<unknown>>;
    return { id, value: await store[method](...args) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { id, error: { message: String(message), code: typeof code === 'string' ? code : undefined } };
  }
}

main.on(
  'message',
  guarded(async (request: Request) => main.postMessage(await answer(request))),
);
given.waited.on(
  'message',
  guarded(async (request: Request) => {
    given.waited.postMessage(await answer(request));
    Atomics.add(given.answered, 0, 1);
    Atomics.notify(given.answered, 0);
  }),
);
