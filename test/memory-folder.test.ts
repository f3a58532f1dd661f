import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeLeftFolders } from '../scripts/memory-folder.ts';

it('removes folders of killed runs, and neither those in use nor other files', async () => {
  const root = await mkdtemp(join(tmpdir(), 'svc-memory-folder-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const ended = spawnSync(process.execPath, ['--version']).pid;
  const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  async function folder(name: string, used: Date) {
    await mkdir(join(root, name));
    await writeFile(join(root, name, 'store.db'), 'bytes');
    await utimes(join(root, name), used, used);
  }
  await folder(`svc-tests-${ended}-killed`, twoHoursAgo);
  await folder(`svc-tests-${ended}-recent`, new Date());
  await folder(`svc-tests-${process.pid}-running`, twoHoursAgo);
  await folder('unrelated', twoHoursAgo);
  removeLeftFolders(root);
  expect((await readdir(root)).toSorted()).toEqual(
    [`svc-tests-${ended}-recent`, `svc-tests-${process.pid}-running`, 'unrelated'].toSorted(),
  );
});
