import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createThreadPool, type ThreadPoolOptions } from '../../../src/adapters/worker/thread-pool.ts';
import { OverrunError } from '../../../src/platform/overrun-error.ts';
import { programFile } from '../../../src/platform/own-package.ts';
import type { TextToRender } from '../../../src/platform/renderer.ts';

const TASK: TextToRender = { kind: 'markdown', text: 'a' };
/** Takes a machine that does nothing else tens of milliseconds. */
const SLOW: TextToRender = { kind: 'markdown', text: '*a* [b](https://c.example) `d`\n\n'.repeat(20_000) };

function pool(options: { timeMs?: number; threads?: number } = {}) {
  const made = createThreadPool<TextToRender, string>({
    file: programFile('render-worker'),
    threads: 1,
    heapMb: 256,
    timeMs: 60_000,
    ...options,
  });
  onTestFinished(made.close);
  return made;
}

/** A pool whose threads wait for as many milliseconds as they are told. */
function waitingPool(options: Partial<ThreadPoolOptions> = {}) {
  const file = join(import.meta.dirname, 'support', 'idle-worker.ts');
  const made = createThreadPool<TextToRender, string>({
    ...{ file, threads: 1, heapMb: 64, timeMs: 60_000 },
    ...options,
  });
  onTestFinished(made.close);
  return made;
}

const wait = (ms: number): TextToRender => ({ kind: 'markdown', text: String(ms) });

describe('a task', () => {
  it('that takes too long is ended, and the next is done in another thread', async () => {
    const hasty = pool({ timeMs: 1 });
    for (let n = 0; n < 2; n += 1) {
      const error = await hasty.run(SLOW).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OverrunError);
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
    const { run } = waitingPool({ timeMs: 400 });
    expect(await run(wait(800))).toBe('waited 800 ms');
    await expect(run(wait(60_000))).rejects.toMatchObject({ what: 'time', limitMs: 400 });
  });

  it('does not answer for the start of its thread', async () => {
    const { run } = waitingPool({ timeMs: 200, workerData: { startMs: 1_000 } });
    expect(await run(wait(1))).toBe('waited 1 ms');
  });

  it('is done by the thread that is free first, not by one that still starts', async () => {
    const started = new Int32Array(new SharedArrayBuffer(8));
    const { run, size } = waitingPool({ threads: 2, workerData: { started } });
    await run(wait(1));
    expect(await Promise.all([run(wait(50)), run(wait(1))])).toEqual(['waited 50 ms', 'waited 1 ms']);
    expect(size()).toBe(2);
  });

  it('fails when its pool is closed before a thread has it', async () => {
    const made = waitingPool();
    const asked = [made.run(wait(60_000)), made.run(wait(1))].map((answer) => answer.catch(String));
    await made.close();
    expect(await Promise.all([...asked, made.run(wait(1)).catch(String)])).toEqual(
      Array(3).fill('Error: The thread ended before it answered.'),
    );
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

describe('a spare thread', () => {
  it('is started for a task that has waited, and for no other', async () => {
    const { run, size } = waitingPool({ threads: 2, spareAfterMs: 500 });
    await run(wait(1));
    await Promise.all([run(wait(1)), run(wait(1)), run(wait(1))]);
    expect(size()).toBe(1);
    const long = run(wait(20_000)).catch(() => 'closed');
    expect(await run(wait(1))).toBe('waited 1 ms');
    // It has ended again: nothing waited.
    await expect.poll(size).toBe(1);
    expect(await Promise.race([long, 'still waiting'])).toBe('still waiting');
  });
});
