import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tryLock, withLock } from '../../src/platform/process-lock.ts';

const system = {
  randomBytes,
  sleep: (ms: number, signal?: AbortSignal) => sleep(ms, undefined, signal && { signal }),
};

const SOURCE = new URL('../../src/platform/process-lock.ts', import.meta.url).href;

/** A process that acquires the lock, prints `held`, and keeps the lock until it is killed. */
const HOLDER = `
  import { randomBytes } from 'node:crypto';
  const { withLock } = await import(${JSON.stringify(SOURCE)});
  await withLock({ randomBytes, sleep: async () => {} }, process.argv[1], async () => {
    process.stdout.write('held');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  });`;

/** A process that acquires the lock, keeps no reference to it, and prints `held` after its garbage was collected. */
const FORGETFUL = `
  const { tryLock } = await import(${JSON.stringify(SOURCE)});
  await (async () => tryLock(process.argv[1]) !== null)();
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setTimeout(resolve, 10)).then(gc);
  process.stdout.write('held');
  setTimeout(() => {}, 60_000);`;

describe('a lock between processes', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svc-lock-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is held by one call at a time, also within a process', async () => {
    const file = path.join(folder, 'deep', 'one.lock');
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await sleep(2);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(system, file, work)));
    expect(most).toBe(1);
  });

  it('writes nothing, so that it can be taken on a full disk', async () => {
    const file = path.join(folder, 'one.lock');
    const inside = await withLock(system, file, () => readdir(folder));
    expect([inside, (await stat(file)).size]).toEqual([['one.lock'], 0]);
  });

  it('is released when the work fails', async () => {
    const file = path.join(folder, 'one.lock');
    await expect(withLock(system, file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(system, file, async () => 'in')).toBe('in');
  });

  it('is held until its process ends, also when nothing refers to it', async () => {
    const file = path.join(folder, 'one.lock');
    const holder = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', FORGETFUL, file]);
    await once(holder.stdout, 'data');
    expect(tryLock(file)).toBeNull();
    holder.kill('SIGKILL');
    expect(await withLock(system, file, async () => 'in')).toBe('in');
  });

  it('excludes other processes, and is released when its process is killed', async () => {
    const file = path.join(folder, 'one.lock');
    const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, file]);
    await once(holder.stdout, 'data');
    const impatient = withLock(system, file, async () => 'in', AbortSignal.timeout(200));
    await expect(impatient).rejects.toMatchObject({ name: 'AbortError' });
    const patient = withLock(system, file, async () => 'in');
    holder.kill('SIGKILL');
    expect(await patient).toBe('in');
  });
});
