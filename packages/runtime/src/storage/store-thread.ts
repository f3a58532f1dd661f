import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { guarded } from '@svc/contracts/guarded';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { SharedStore } from './shared-store.ts';

/** Maximum wait of this whole thread for an answer, in milliseconds, as for another process that writes a library in a folder. */
const WAIT_MS = 10_000;

type Method = Exclude<keyof SharedStore, 'close'>;
type Args<M extends Method> = Parameters<SharedStore[M]>;
type Value<M extends Method> = Awaited<ReturnType<SharedStore[M]>>;
type Answer = { id: number; value?: unknown; error?: { message: string; code: string | undefined } };

/** The refusal of storage that cannot be used now. The message of a database names no secret. */
const unavailable = (why: string): RuntimeError =>
  new RuntimeError('disk-unavailable', `The storage of the runtime cannot be used: ${why}`);

function resultOf({ value, error }: Answer): unknown {
  if (error) throw unavailable(error.message);
  return value;
}

/** A shared store in a thread of its own. */
export type StoreThread = {
  call<M extends Method>(method: M, ...args: Args<M>): Promise<Value<M>>;
  /** Waits for the answer with this whole thread. @throws RuntimeError `disk-unavailable`, also when there is none in time */
  callNow<M extends Method>(method: M, ...args: Args<M>): Value<M>;
  close(): Promise<void>;
};

/**
 * Starts a shared store.
 * @param program the file that runs it
 * @param store its module, and what that gets
 * @param changed called with the name of a set that another process may have changed
 */
export function startStoreThread(
  program: string,
  store: { module: string; options: unknown },
  changed: (set: string) => void,
): StoreThread {
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const workerData = { ...store, answered, waited: port2 };
  const worker = new Worker(program, { workerData, transferList: [port2], execArgv: [] });
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let last = 0;
  let ended: RuntimeError | null = null;

  const end = (why: string): void => {
    ended ??= unavailable(why);
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
  };

  function take(message: Answer | { changed: string }): void {
    if ('changed' in message) {
      changed(message.changed);
      return;
    }
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    // A process whose only work is an open store may end.
    if (pending.size === 0) worker.unref();
    try {
      waiting?.resolve(resultOf(message));
    } catch (error) {
      waiting?.reject(error);
    }
  }

  worker.on(
    'error',
    guarded((error: Error) => end(error.message)),
  );
  worker.on(
    'exit',
    guarded(() => end('it is closed.')),
  );
  worker.on('message', guarded(take));
  port1.unref();
  worker.unref();

  const send = (method: keyof SharedStore, args: unknown[]): Promise<unknown> => {
    if (ended) return Promise.reject(ended);
    last += 1;
    const id = last;
    worker.ref();
    worker.postMessage({ id, method, args });
    return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
  };

  return {
    call: (method, ...args) => send(method, args) as Promise<never>,
    callNow(method, ...args) {
      if (ended) throw ended;
      last += 1;
      const id = last;
      port1.postMessage({ id, method, args });
      for (;;) {
        const seen = Atomics.load(answered, 0);
        // An answer that came too late for an earlier request is skipped.
        for (let next = receiveMessageOnPort(port1); next; next = receiveMessageOnPort(port1))
          if (next.message.id === id) return resultOf(next.message) as never;
        if (Atomics.wait(answered, 0, seen, WAIT_MS) === 'timed-out')
          throw unavailable('it did not answer in time.');
      }
    },
    async close() {
      if (!ended) await send('close', []).catch(() => undefined);
      await worker.terminate();
      port1.close();
    },
  };
}
