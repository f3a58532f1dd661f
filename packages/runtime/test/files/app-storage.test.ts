import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createAppStorage } from '../../src/files/app-storage.ts';
import { fullDisk } from '../support/full-disk.ts';
import { refused } from '../support/refused.ts';
import { system } from '../support/system.ts';

function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-storage-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { folder, storage: createAppStorage(system, folder) };
}

const owner = { appId: 'com.example.a', project: 'one' };
const file = (name: string) => ({ name, bytes: Buffer.from('hello') });

it('stores files of concurrent writers at different paths, readable only by the user', async () => {
  const { storage } = opened();
  const kept = await Promise.all(Array.from({ length: 20 }, () => storage.keep(owner, file('a.txt'))));
  expect(new Set(kept.map(({ path }) => path)).size).toBe(20);
  for (const { path } of kept) expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('stores files while others are stored and removed', async () => {
  const { storage } = opened();
  const keepSome = async () => {
    for (let n = 0; n < 12; n += 1) {
      const { id } = await storage.keep(owner, file('a.txt'));
      if (n % 3 === 0) await storage.remove(owner, id);
    }
  };
  await Promise.all(Array.from({ length: 8 }, keepSome));
  expect(await storage.list(owner)).toHaveLength(64);
});

it('stays within its folder with hostile ids and names', async () => {
  const { folder, storage } = opened();
  const hostile = { appId: '../../../tmp/evil', project: '/etc/../..' };
  const { path, name } = await storage.keep(hostile, file('../../../../.bashrc'));
  expect(path.startsWith(`${folder}/`)).toBe(true);
  expect(name).toBe('bashrc.txt');
});

it('separates apps and projects, and removes all files of an app', async () => {
  const { folder, storage } = opened();
  const mine = await storage.keep(owner, file('a.txt'));
  const other = await storage.keep({ ...owner, appId: 'com.example.A' }, file('a.txt'));
  const project = await storage.keep({ ...owner, project: 'two' }, file('a.txt'));
  expect(new Set([mine, other, project].map(({ path }) => dirname(dirname(path)))).size).toBe(3);
  await storage.removeApp(owner.appId);
  expect(readdirSync(folder)).toHaveLength(1);
  expect(statSync(other.path).size).toBe(5);
});

it('limits the number of bytes and of files', async () => {
  const { storage } = opened();
  const { path } = await storage.keep(owner, file('a.bin'));
  const place = dirname(dirname(path));
  // A sparse file of a gibibyte uses no disk space.
  truncateSync(path, 2 ** 30 - 4);
  await expect(storage.keep(owner, file('b.txt'))).rejects.toEqual(refused('too-large'));
  truncateSync(path, 0);
  for (let n = 1; n < 2_000; n += 1) writeFileSync(join(place, `${n}`), '');
  await expect(storage.keep(owner, file('c.txt'))).rejects.toEqual(refused('too-many'));
});

it('removes what a process that was killed left of a file, and no file that another one is storing', async () => {
  const { storage } = opened();
  const { path } = await storage.keep(owner, file('a.txt'));
  const place = dirname(dirname(path));
  for (const name of ['old.part', 'new.part']) {
    mkdirSync(join(place, name));
    writeFileSync(join(place, name, 'a.txt'), 'hel');
  }
  utimesSync(join(place, 'old.part'), 0, 0);
  await storage.keep(owner, file('b.txt'));
  expect(readdirSync(place).filter((name) => name.endsWith('.part'))).toEqual(['new.part']);
});

it('leaves nothing of a file that it cannot write', async () => {
  const { storage } = opened();
  const { path } = await storage.keep(owner, file('a.txt'));
  const disk = await fullDisk();
  await expect(storage.keep(owner, file('b.txt'))).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(readdirSync(dirname(dirname(path)))).toHaveLength(1);
  disk.mockRestore();
  await storage.keep(owner, file('b.txt'));
});

it('lists, reads and deletes stored files, also after it is opened again', async () => {
  const { folder, storage } = opened();
  const kept = await storage.keep(owner, file('a.txt'));
  await storage.keep({ ...owner, project: 'two' }, file('b.txt'));
  const later = createAppStorage(system, folder);
  expect(await later.list(owner)).toEqual([
    { id: kept.id, name: 'a.txt', bytes: 5, keptAt: expect.stringMatching(/^\d{4}-.*Z$/) },
  ]);
  expect(await later.list({ ...owner, project: 'three' })).toEqual([]);
  expect(await later.read(owner, kept.id)).toEqual({ ...kept, content: Buffer.from('hello') });
  for (const id of ['', '..', `../${'0'.repeat(21)}`, '0'.repeat(24), `${kept.id}.part`]) {
    await expect(later.read(owner, id)).rejects.toEqual(refused('unknown-file'));
    await expect(later.remove(owner, id)).rejects.toEqual(refused('unknown-file'));
  }
  await expect(later.remove({ ...owner, project: 'two' }, kept.id)).rejects.toEqual(refused('unknown-file'));
  await later.remove(owner, kept.id);
  expect(await storage.list(owner)).toEqual([]);
  await expect(storage.read(owner, kept.id)).rejects.toEqual(refused('unknown-file'));
});
