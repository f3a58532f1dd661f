import type { Root } from 'hast';

/** How long one text may take, in milliseconds; it then stays as plain text. The first one also loads the scripts. */
const MAX_MS = 2_000;

/** Texts that are kept as elements: conversations are opened and closed. */
const MAX_KEPT = 200;

type Job = { text: string; signal: AbortSignal; resolve(root: Root | null): void };

const kept = new Map<string, Root | null>();
const waiting: Job[] = [];
let worker: Worker | null = null;
let isBusy = false;

const open = () => new Worker(new URL('./draw-worker.ts', import.meta.url), { type: 'module' });

function keep(text: string, root: Root | null): void {
  kept.set(text, root);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}

/** Has the worker draw a text; null where it cannot, or takes too long: it is ended then, with whatever loops in it. */
async function draw(text: string): Promise<Root | null> {
  worker ??= open();
  const { promise, resolve } = Promise.withResolvers<Root | null>();
  const end = () => {
    worker?.terminate();
    worker = null;
    resolve(null);
  };
  const timer = setTimeout(end, MAX_MS);
  worker.onmessage = ({ data }: MessageEvent<Root | null>) => resolve(data);
  worker.onerror = end;
  worker.postMessage(text);
  return promise.finally(() => clearTimeout(timer));
}

async function work(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  for (let job = waiting.shift(); job; job = waiting.shift()) {
    if (job.signal.aborted) continue;
    const root = kept.has(job.text) ? (kept.get(job.text) ?? null) : await draw(job.text);
    keep(job.text, root);
    job.resolve(root);
  }
  isBusy = false;
}

/** What was drawn of a text before; undefined where it was not. */
export const drawnBefore = (text: string): Root | null | undefined => kept.get(text);

/**
 * Draws a text beside the page, which goes on meanwhile: whatever a text does to parsers, highlighters and formulas, it does there.
 * @param signal drops it while it waits
 * @returns null where it cannot be drawn in time
 */
export function drawApart(text: string, signal: AbortSignal): Promise<Root | null> {
  const { promise, resolve } = Promise.withResolvers<Root | null>();
  waiting.push({ text, signal, resolve });
  void work();
  return promise;
}
