import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RuntimeEvent } from '@svc/runtime';
import { describe, expect, it } from 'vitest';
import { createStoreLog } from '../src/store-log.ts';

async function opened(folder?: string) {
  const home = folder ?? (await mkdtemp(join(tmpdir(), 'svc-desktop-')));
  let hear: (event: RuntimeEvent) => void = () => undefined;
  const log = createStoreLog(home, {
    subscribe(listener) {
      hear = listener;
      return () => undefined;
    },
  });
  const save = async (name: string) => {
    await mkdir(join(home, 'evidence'), { recursive: true });
    await writeFile(join(home, 'evidence', name), 'two checkpoints');
    return join(home, 'evidence', name);
  };
  return { home, log, save, hear: (event: RuntimeEvent) => hear(event) };
}

describe('the log of the store', () => {
  it('has evidence until the user closes it, also after a restart, and again for a new one', async () => {
    const { home, log, save } = await opened();
    expect(await log.view()).toEqual({ evidence: null, isMissing: false });
    const first = await save('log-20260101000000000-5.txt');
    await save('notes.txt');
    expect(await log.view()).toEqual({ evidence: first, isMissing: false });
    expect(await (await opened(home)).log.view()).toEqual({ evidence: first, isMissing: false });
    await log.close();
    expect((await (await opened(home)).log.view()).evidence).toBeNull();
    expect(await readFile(first, 'utf8')).toBe('two checkpoints');
    const second = await save('log-20260102000000000-4.txt');
    expect((await log.view()).evidence).toBe(second);
  });

  it('is missing where the store has none, until the user closes that', async () => {
    const { log, hear } = await opened();
    hear({ type: 'heads-missing', store: 'https://store.example' });
    expect((await log.view()).isMissing).toBe(false);
    hear({ type: 'log-missing', store: 'https://store.example' });
    expect((await log.view()).isMissing).toBe(true);
    await log.close();
    expect(await log.view()).toEqual({ evidence: null, isMissing: false });
  });
});
