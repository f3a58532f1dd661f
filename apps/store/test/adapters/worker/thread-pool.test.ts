import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createThreadPool, type ThreadPoolOptions } from '../../../src/adapters/worker/thread-pool.ts';
import { OverrunError } from '../../../src/platform/overrun-error.ts';
import { programFile } from '../../../src/platform/own-package.ts';
import type { TextToRender } from '../../../src/platform/renderer.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';

const TASK: TextToRender = { kind: 'markdown', text: 'a' };
/** Takes tens of milliseconds on an idle machine. */
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

/** A pool whose tasks wait for the given milliseconds. */
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

it('refuses tasks while no thread can be started', async () => {
  // Refused by `new Worker`, as by a system without memory for a thread.
  const { run } = waitingPool({ file: 'not-absolute.ts', threads: 4 });
  const refusals = await Promise.all([1, 2, 3].map((ms) => run(wait(ms)).catch((error: unknown) => error)));
  for (const refusal of refusals) expect(refusal).toBeInstanceOf(UnavailableError);
});

describe('a task', () => {
  it('is ended when it takes too long, and the next one runs in another thread', async () => {
    const hasty = pool({ timeMs: 1 });
    for (let n = 0; n < 2; n += 1) {
      const error = await hasty.run(SLOW).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OverrunError);
      expect(error).toMatchObject({ what: 'time', limitMs: 1 });
    }
  });

  it('is ended when one stage takes too long, which the error names', async () => {
    const error = await pool()
      .run(SLOW, { render: 1, other: 60_000 })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'Overrun', what: 'render', limitMs: 1 });
  });

  it('is limited by CPU time, and gets more wall-clock time', async () => {
    // On a busy machine, a thread takes time without using the CPU.
    const { run } = waitingPool({ timeMs: 400 });
    expect(await run(wait(800))).toBe('waited 800 ms');
    await expect(run(wait(60_000))).rejects.toMatchObject({ what: 'time', limitMs: 400 });
  });

  it('is not charged for the start of its thread', async () => {
    const { run } = waitingPool({ timeMs: 200, workerData: { startMs: 1_000 } });
    expect(await run(wait(1))).toBe('waited 1 ms');
  });

  it('runs in the first free thread, not in one that is still starting', async () => {
    const started = new Int32Array(new SharedArrayBuffer(8));
    const { run, size } = waitingPool({ threads: 2, workerData: { started } });
    await run(wait(1));
    expect(await Promise.all([run(wait(50)), run(wait(1))])).toEqual(['waited 50 ms', 'waited 1 ms']);
    expect(size()).toBe(2);
  });

  it('fails when its pool is closed before it ends', async () => {
    const made = waitingPool();
    const asked = [made.run(wait(60_000)), made.run(wait(1))].map((answer) => answer.catch(String));
    await made.close();
    expect(await Promise.all([...asked, made.run(wait(1)).catch(String)])).toEqual(
      Array(3).fill('Error: The thread ended before it answered.'),
    );
  });

  it('that crashes its thread does not make other tasks fail', async () => {
    const { run } = pool();
    // A task that cannot be sent to a thread fails alone too.
    const unsendable = run({ kind: 'markdown', text: (() => '') as unknown as string });
    const broken = run({ kind: 'markdown', text: null as unknown as string });
    const next = run(TASK);
    await expect(unsendable).rejects.toThrow('could not be cloned');
    await expect(broken).rejects.toThrow(TypeError);
    expect(await next).toBe('<p>a</p>\n');
  });
});

describe('a spare thread', () => {
  it('starts only when a task has waited too long', async () => {
    const { run, size } = waitingPool({ threads: 2, spareAfterMs: 500 });
    await run(wait(1));
    await Promise.all([run(wait(1)), run(wait(1)), run(wait(1))]);
    expect(size()).toBe(1);
    const long = run(wait(20_000)).catch(() => 'closed');
    expect(await run(wait(1))).toBe('waited 1 ms');
    // The spare thread has ended, as no task waits.
    await expect.poll(size).toBe(1);
    expect(await Promise.race([long, 'still waiting'])).toBe('still waiting');
  });
});
