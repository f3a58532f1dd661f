import type { Root } from 'hast';

/** What the worker reports of the first text that it was given and has not drawn. */
export type Drawing = { state: 'draws' | 'loads' } | { state: 'drawn'; root: Root | null };

/** How long one text may take, and its scripts to load, in milliseconds; it then stays as plain text. */
const MAX_MS = { draws: 2_000, loads: 30_000 };

/** Texts that the worker has at once: it does not wait for the page between them. */
const AT_ONCE = 16;

/** Texts that are kept as elements: conversations are opened and closed. */
const MAX_KEPT = 200;

type Job = { text: string; signal: AbortSignal; resolve(root: Root | null): void };

const kept = new Map<string, Root | null>();
let waiting: Job[] = [];
/** The texts that the worker has, in their order. */
let given: Job[] = [];
let worker: Worker | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

function keep(text: string, root: Root | null): void {
  kept.set(text, root);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}

function end(root: Root | null): void {
  const job = given.shift();
  if (!job) return;
  keep(job.text, root);
  job.resolve(root);
}

/** Ends the worker with whatever loops in it: the first of its texts cannot be drawn, the others are given to another one. */
function giveUp(): void {
  clearTimeout(timer);
  worker?.terminate();
  worker = null;
  end(null);
  waiting = [...given, ...waiting];
  given = [];
  give();
}

function open(): Worker {
  const opened = new Worker(new URL('./draw-worker.ts', import.meta.url), { type: 'module' });
  opened.onmessage = ({ data }: MessageEvent<Drawing>) => {
    clearTimeout(timer);
    if (data.state === 'drawn') {
      end(data.root);
      give();
    } else timer = setTimeout(giveUp, MAX_MS[data.state]);
  };
  opened.onerror = giveUp;
  return opened;
}

function give(): void {
  while (given.length < AT_ONCE) {
    const job = waiting.shift();
    if (!job) return;
    const root = kept.get(job.text);
    if (root !== undefined) job.resolve(root);
    if (root !== undefined || job.signal.aborted) continue;
    worker ??= open();
    given.push(job);
    worker.postMessage(job.text);
  }
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
  give();
  return promise;
}
