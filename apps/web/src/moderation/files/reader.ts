import type { Listing, View } from './opened.ts';

type RequestBody =
  | { readonly kind: 'open'; readonly next: Uint8Array; readonly base: Uint8Array | null }
  | { readonly kind: 'view'; readonly path: string; readonly whole: boolean };

/** A request to the worker that opens bundles; the reply has the same `turn`. */
export type WorkerRequest = RequestBody & { readonly turn: number };

/** The reply of the worker: an answer, or an error message. */
export type WorkerReply = {
  readonly turn: number;
  readonly answer: Listing | View | null;
  readonly error?: string;
};

/** Time limit of an answer, in milliseconds: a hostile file costs no more. */
const TIME_LIMIT_MS = 30_000;

/** Opens bundles in a web worker, so that a hostile one can neither freeze the page nor exceed the time limit. */
export function createReader() {
  const worker = new Worker(new URL('../worker.ts', import.meta.url), { type: 'module' });
  const waiting = new Map<number, (reply: WorkerReply) => void>();
  let turns = 0;

  const failAll = (error: string) => {
    for (const [turn, settle] of waiting) settle({ turn, answer: null, error });
    waiting.clear();
    worker.terminate();
  };
  worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => waiting.get(data.turn)?.(data);
  worker.onerror = () => failAll('Reading the bundle stopped unexpectedly.');

  function send<T>(request: RequestBody): Promise<T> {
    turns += 1;
    const turn = turns;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(
        () => failAll('Reading the bundle took too long and was stopped.'),
        TIME_LIMIT_MS,
      );
      waiting.set(turn, ({ answer, error }) => {
        clearTimeout(timer);
        waiting.delete(turn);
        if (answer) resolve(answer as T);
        else reject(new Error(error));
      });
      worker.postMessage({ turn, ...request } satisfies WorkerRequest);
    });
  }

  return {
    open: (next: Uint8Array, base: Uint8Array | null) => send<Listing>({ kind: 'open', next, base }),
    view: (path: string, whole: boolean) => send<View>({ kind: 'view', path, whole }),
    close: () => failAll('Reading the bundle was stopped.'),
  };
}

export type Reader = ReturnType<typeof createReader>;
