import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { filledStore, tempFolder } from '../../support/backup.ts';
import { start } from '../../support/program.ts';

const ORPHAN = '0'.repeat(64);

async function sweep(dataDir: string, ...options: string[]) {
  const run = start({ SVC_DATA_DIR: dataDir }, ['sweep', ...options]);
  return { exit: await run.exit, said: run.output.err };
}

describe('svc-store sweep', () => {
  it('removes blobs that no version refers to while the store is running', DEEP, async () => {
    const { store } = await filledStore();
    const kept = (await store.filesUnder('blobs')).sort();
    await mkdir(join(store.folder, 'blobs', '00'), { recursive: true });
    await writeFile(join(store.folder, 'blobs', '00', ORPHAN), 'left behind');
    expect(await sweep(store.folder)).toMatchObject({
      exit: 0,
      said: expect.stringContaining('Removed 0 blobs'),
    });
    expect(await sweep(store.folder, '--older-than', '0')).toEqual({
      exit: 0,
      said: 'svc-store: Removed 1 blobs that no version refers to.\n',
    });
    expect((await store.filesUnder('blobs')).sort()).toEqual(kept);
  });

  it.each(['soon', '-1', '1.5', ''])('refuses %o minutes', DEEP, async (minutes) => {
    expect(await sweep(await tempFolder(), `--older-than=${minutes}`)).toEqual({
      exit: 2,
      said: 'svc-store: --older-than takes a number of minutes.\n',
    });
  });
});
