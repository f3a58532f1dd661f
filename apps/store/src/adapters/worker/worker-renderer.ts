import { programFile } from '../../platform/own-package.ts';
import type { Renderer, TextToRender } from '../../platform/renderer.ts';
import { createThreadPool } from './thread-pool.ts';

/** Limit of processor time; the slowest known texts take a third of a second on an idle machine. */
const LIMITS = { threads: 2, timeMs: 3_000, heapMb: 256 };

/** Renders in threads that start on demand, so that a slow text does not block other requests. */
export function createWorkerRenderer(): Renderer & { close(): Promise<void> } {
  const pool = createThreadPool<TextToRender, string>({ file: programFile('render-worker'), ...LIMITS });
  return { render: (text) => pool.run(text), close: pool.close };
}
