import { programFile } from '../../platform/own-package.ts';
import type { Renderer, TextToRender } from '../../platform/renderer.ts';
import { createThreadPool } from './thread-pool.ts';

/** The texts that take longest of all we know take a third of a second on a machine that does nothing else. */
const LIMITS = { threads: 2, timeMs: 3_000, heapMb: 256 };

/** Renders in threads of their own, which start when they are first needed: other requests wait for no text. */
export function createWorkerRenderer(): Renderer & { close(): Promise<void> } {
  const pool = createThreadPool<TextToRender, string>({ file: programFile('render-worker'), ...LIMITS });
  return { render: (text) => pool.run(text), close: pool.close };
}
