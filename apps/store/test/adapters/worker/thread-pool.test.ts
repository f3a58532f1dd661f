import { expect, it, onTestFinished } from 'vitest';
import { createThreadPool } from '../../../src/adapters/worker/thread-pool.ts';
import type { TextToRender } from '../../../src/render/renderer.ts';

it('ends a task that takes too long, and does the next in another thread', async () => {
  const options = { entry: 'render-worker', threads: 1, heapMb: 64 };
  const hasty = createThreadPool<TextToRender, string>({ ...options, timeMs: 1 });
  const patient = createThreadPool<TextToRender, string>({ ...options, timeMs: 30_000 });
  onTestFinished(async () => {
    await Promise.all([hasty.close(), patient.close()]);
  });
  const task: TextToRender = { kind: 'markdown', text: 'a' };
  await expect(hasty.run(task)).rejects.toThrow('aborted');
  await expect(hasty.run(task)).rejects.toThrow('aborted');
  // What cannot be sent to a thread, or crashes it there, is a fault of its own task.
  const broken = patient.run({ kind: 'markdown', text: null as unknown as string });
  const next = patient.run(task);
  await expect(broken).rejects.toThrow(TypeError);
  expect(await next).toBe('<p>a</p>\n');
});
