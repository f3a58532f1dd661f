import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RevocationList } from '@svc/contracts';
import { expect, it } from 'vitest';
import { restoreBackup, restoreCommand } from '../../../../src/composition/commands/backup/restore-backup.ts';
import { takeBackup } from '../../../../src/composition/commands/backup/take-backup.ts';
import { readSettings } from '../../../../src/composition/settings.ts';
import { AMBIENT, backedUp, depsOf, tempFolder } from '../../../support/backup.ts';
import { jsonOf, openTestStore } from '../../../support/test-store.ts';

const APP = '/api/apps/com.example.notes/versions/1.1.0';
const newDataDir = async () => join(await tempFolder(), 'data');

/** A backup, and a list from after it with one more yank. */
async function yankedSince() {
  const { store, token, folder } = await backedUp();
  await store.call('POST', `${APP}/yank`, { token, json: { reason: 'It lost notes.' } });
  const list = await jsonOf<RevocationList>(store.call('GET', '/api/apps/revocations'));
  const file = join(await tempFolder(), 'revocations.json');
  await writeFile(file, JSON.stringify(list));
  await store.close();
  return { folder, list, file, token, dataDir: store.folder };
}

const run = async (dataDir: string, folder: string, options: object) =>
  restoreCommand.run(
    { operands: [folder], options: { ...options } },
    readSettings({ SVC_DATA_DIR: dataDir }),
    AMBIENT,
  );

it('a given list yanks its versions again in a store that is restored on a new disk', async () => {
  const { folder, list, file } = await yankedSince();
  const dataDir = await newDataDir();
  const said = await run(dataDir, folder, { revocations: file });
  expect(said).toContain(`It takes the yanks of the list of ${list.signedAt} (1, of these `);
  const restored = await openTestStore({ folder: dataDir });
  const now = await jsonOf<RevocationList>(restored.call('GET', '/api/apps/revocations'));
  expect(now.entries).toEqual(list.entries);
  expect((await restored.call('GET', `${APP}/bundle`)).status).toBe(410);
});

it('without a list, says from when on yanks are not known', async () => {
  const { folder } = await yankedSince();
  expect(await run(await newDataDir(), folder, {})).toContain(
    'It cannot know what was yanked after 2026-03-02T00:00:00.000Z.',
  );
});

it('refuses a list that was changed, or of another store, and leaves nothing', async () => {
  const { folder, list, file } = await yankedSince();
  const other = await openTestStore();
  const another = await jsonOf<RevocationList>(other.call('GET', '/api/apps/revocations'));
  for (const wrong of [{ ...list, entries: [] }, another, 'no list', null]) {
    await writeFile(file, JSON.stringify(wrong));
    const deps = depsOf(await newDataDir());
    await expect(restoreBackup(deps, folder, { force: false, revocations: file })).rejects.toThrow(
      'is not a revocation list of this store',
    );
    await expect(readFile(join(deps.dataDir, 'store.sqlite'))).rejects.toThrow('ENOENT');
  }
});

it('names the time of a backup that is later than the list', async () => {
  const { dataDir, file } = await yankedSince();
  const later = join(await tempFolder(), 'backup');
  await takeBackup({ ...depsOf(dataDir), clock: () => new Date('2099-01-01') }, later, true);
  expect(await run(await newDataDir(), later, { revocations: file })).toContain(
    'what was yanked after 2099-01-01T00:00:00.000Z it cannot know',
  );
});

/** A store that was restored without the list and then started, and has a yank of its own. */
async function startedOnce({ folder, token }: { folder: string; token: string }) {
  const dataDir = await newDataDir();
  await run(dataDir, folder, {});
  const store = await openTestStore({ folder: dataDir });
  await store.call('POST', '/api/apps/com.example.notes/versions/1.0.0/yank', {
    token,
    json: { reason: 'It leaks.' },
  });
  await store.close();
  return dataDir;
}

const yankedOf = async (dataDir: string) => {
  const store = await openTestStore({ folder: dataDir });
  const { entries } = await jsonOf<RevocationList>(store.call('GET', '/api/apps/revocations'));
  return entries.map(({ version }) => version);
};

it('is restored with a list onto a store that was started once, whose yanks stay', async () => {
  const yanked = await yankedSince();
  const { folder, file } = yanked;
  const dataDir = await startedOnce(yanked);
  await run(dataDir, folder, { revocations: file, force: true });
  expect(await yankedOf(dataDir)).toEqual(['1.0.0', '1.1.0']);
});

it('a store that was started takes a list that is put in the place of the kept one', async () => {
  const yanked = await yankedSince();
  const dataDir = await startedOnce(yanked);
  await copyFile(yanked.file, join(dataDir, 'blobs', 'revocations'));
  expect(await yankedOf(dataDir)).toEqual(['1.0.0', '1.1.0']);
});

it('keeps a given list as it is beside a damaged one', async () => {
  const yanked = await yankedSince();
  const { folder, file } = yanked;
  const dataDir = await startedOnce(yanked);
  await writeFile(join(dataDir, 'blobs', 'revocations'), '{"entries":[]}');
  await run(dataDir, folder, { revocations: file, force: true });
  expect(await readFile(join(dataDir, 'blobs', 'revocations'), 'utf8')).toBe(await readFile(file, 'utf8'));
});
