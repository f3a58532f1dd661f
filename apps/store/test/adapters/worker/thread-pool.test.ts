import { describe, expect, it, onTestFinished } from 'vitest';
import { createThreadPool } from '../../../src/adapters/worker/thread-pool.ts';
import { Overrun } from '../../../src/platform/overrun.ts';
import type { TextToRender } from '../../../src/render/renderer.ts';

const TASK: TextToRender = { kind: 'markdown', text: 'a' };
/** Takes a machine that does nothing else tens of milliseconds. */
const SLOW: TextToRender = { kind: 'markdown', text: '*a* [b](https://c.example) `d`\n\n'.repeat(20_000) };

function pool(options: { timeMs?: number; threads?: number } = {}) {
  const made = createThreadPool<TextToRender, string>({
    entry: 'render-worker',
    threads: 1,
    heapMb: 256,
    timeMs: 60_000,
    ...options,
  });
  onTestFinished(made.close);
  return made;
}

describe('a task', () => {
  it('that takes too long is ended, and the next is done in another thread', async () => {
    const hasty = pool({ timeMs: 1 });
    for (let n = 0; n < 2; n += 1) {
      const error = await hasty.run(SLOW).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Overrun);
      expect(error).toMatchObject({ what: 'time', limitMs: 1 });
    }
  });

  it('is ended for one part of it that takes too long, which the error names', async () => {
    const error = await pool()
      .run(SLOW, { render: 1, other: 60_000 })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'Overrun', what: 'render', limitMs: 1 });
  });

  it('may take longer by the clock than it may work', async () => {
    // What a machine that is busy with something else does to a thread: it takes time, and does not work.
    const made = createThreadPool<TextToRender, string>({
      entry: '../../../test/adapters/worker/support/idle-worker',
      threads: 1,
      heapMb: 64,
      timeMs: 400,
    });
    onTestFinished(made.close);
    expect(await made.run({ kind: 'markdown', text: '800' })).toBe('waited 800 ms');
    await expect(made.run({ kind: 'markdown', text: '60000' })).rejects.toMatchObject({
      what: 'time',
      limitMs: 400,
    });
  });

  it('that crashes its thread fails alone', async () => {
    const { run } = pool();
    // What cannot be sent to a thread is a fault of its own task too.
    const unsendable = run({ kind: 'markdown', text: (() => '') as unknown as string });
    const broken = run({ kind: 'markdown', text: null as unknown as string });
    const next = run(TASK);
    await expect(unsendable).rejects.toThrow('could not be cloned');
    await expect(broken).rejects.toThrow(TypeError);
    expect(await next).toBe('<p>a</p>\n');
  });
});
