import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@svc/testkit/eventually';
import { accessibleIn, makeAccessible, withoutUmask } from '@svc/testkit/private-tree';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SettingError } from '../../src/composition/settings.ts';
import { collectGarbage } from '../../src/platform/collect-garbage.ts';
import { filledStore } from '../support/backup.ts';
import { start } from '../support/program.ts';
import { openTestStore } from '../support/test-store.ts';

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-open-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('opening a store', () => {
  it('is refused with a new database and the bundles of another store', async () => {
    const store = await openTestStore();
    await store.close();
    await Promise.all(
      ['', '-wal', '-shm'].map((part) => rm(join(store.folder, `store.sqlite${part}`), { force: true })),
    );
    const key = join(await tempFolder(), 'signing-key.pem');
    const environment = { SVC_SIGNING_KEY_FILE: key, DATABASE_URL: '' };
    const opening = openTestStore({ folder: store.folder, environment });
    await expect(opening).rejects.toThrow(SettingError);
    await expect(opening).rejects.toThrow(
      /^The database is new, and the bundles in \S+ belong to a store: use the database of that store, restore a backup, or start a new store with an empty SVC_DATA_DIR\.$/,
    );
  });

  it('keeps all of its files private with a umask of 0, also in a folder that was open to all', async ({
    skip,
  }) => {
    skip(process.platform === 'win32', 'needs the modes of files');
    await withoutUmask(async () => {
      const { store: first } = await filledStore();
      expect(accessibleIn(first.folder)).toEqual([]);
      await first.close();
      makeAccessible(first.folder);
      const second = await openTestStore({ folder: first.folder });
      expect((await stat(first.folder)).mode & 0o777).toBe(0o700);
      const database = await readdir(first.folder);
      const modes = database
        .filter((name) => name.startsWith('store.sqlite'))
        .map((name) => join(first.folder, name));
      expect(modes.flatMap(accessibleIn)).toEqual([]);
      await second.close();
    });
  });

  it('is refused in a folder that all users share', async ({ skip }) => {
    skip(process.platform === 'win32', 'needs the modes of files');
    const folder = await tempFolder();
    await chmod(folder, 0o1777);
    const store = start({ PORT: '0', SVC_DATA_DIR: folder });
    expect(await store.exit).toBe(2);
    expect(store.output.err).toBe(
      `svc-store: The data folder ${folder} cannot be used: Other users share ${folder}. Choose a folder inside it.\n`,
    );
  });

  it('is refused when the data folder cannot be created', async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs /proc');
    const store = start({ PORT: '0', SVC_DATA_DIR: '/proc/svc-store/data' });
    expect(await store.exit).toBe(2);
    expect(store.output.err).toMatch(
      /^svc-store: The data folder \/proc\/svc-store\/data cannot be used: Cannot create the folder [^\n]+\n$/,
    );
  });
});

describe('a store that was closed', () => {
  let closed: WeakRef<object>;

  it('answered and ended', async () => {
    const store = await openTestStore();
    expect((await store.call('GET', '/api/store')).status).toBe(200);
    closed = new WeakRef(store);
  });

  it('leaves nothing of itself in the memory of its process', () =>
    eventually(() => {
      collectGarbage('major');
      expect(closed.deref()).toBeUndefined();
    }));
});
