import type { Renderer, TextToRender } from '../../render/renderer.ts';
import { createThreadPool } from './thread-pool.ts';

/** The texts that take longest of all we know take a third of a second on a machine that does nothing else. */
const LIMITS = { threads: 1, timeMs: 3_000, heapMb: 256 };

/** Renders in a thread of its own, which starts when it is first needed: whoever asks for something else waits for no text. */
export function createWorkerRenderer(): Renderer & { close(): Promise<void> } {
  const pool = createThreadPool<TextToRender, string>({ entry: 'render-worker', ...LIMITS });
  return { render: pool.run, close: pool.close };
}
