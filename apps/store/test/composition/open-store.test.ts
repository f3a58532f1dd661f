import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SettingError } from '../../src/composition/settings.ts';
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

  it('is refused when the data folder cannot be created', async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs /proc');
    const store = start({ PORT: '0', SVC_DATA_DIR: '/proc/svc-store/data' });
    expect(await store.exit).toBe(2);
    expect(store.output.err).toMatch(
      /^svc-store: The data folder \/proc\/svc-store\/data cannot be used: ENOENT[^\n]+\n$/,
    );
  });
});
