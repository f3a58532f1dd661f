import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PublicKeys, RevocationList, StoreHealth } from '@svc/contracts';
import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { restoreBackup, restoreCommand } from '../../../../src/composition/commands/backup/restore-backup.ts';
import { takeBackup } from '../../../../src/composition/commands/backup/take-backup.ts';
import { rotateKeys } from '../../../../src/composition/commands/rotate-keys.ts';
import { readSettings } from '../../../../src/composition/settings.ts';
import {
  AMBIENT,
  backedUp,
  depsOf,
  everythingIn,
  filledStore,
  largeBundle,
  tempFolder,
  verifiedVersions,
} from '../../../support/backup.ts';
import { start } from '../../../support/program.ts';
import { startStore } from '../../../support/store-process.ts';
import { jsonOf, openTestStore } from '../../../support/test-store.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };
const later = () => new Date('2099-01-01T00:00:00.000Z');
const keyFileIn = (dataDir: string) => join(dataDir, 'keys', 'signing-key.pem');
const newDataDir = async () => join(await tempFolder(), 'data');

describe('a restore', () => {
  it('replaces a store only with --force, and moves the old one aside', async () => {
    const { folder } = await backedUp();
    const { store } = await filledStore(['1.0.0']);
    const deps = { ...depsOf(store.folder), signingKeyFile: join(await tempFolder(), 'key.pem') };
    await store.close();
    const before = await everythingIn(store.folder);
    await expect(restoreBackup(deps, folder, { force: false, revocations: null })).rejects.toThrow('--force');
    expect(await everythingIn(store.folder)).toEqual(before);

    const { aside } = await restoreBackup(deps, folder, { force: true, revocations: null });
    expect(await readdir(aside as string)).toEqual(expect.arrayContaining(['blobs', 'store.sqlite']));
    const environment = { SVC_SIGNING_KEY_FILE: deps.signingKeyFile };
    const restored = await openTestStore({ folder: store.folder, environment });
    expect(await verifiedVersions(restored)).toEqual(['1.0.0', '1.1.0']);
  });

  it('replaces a store whose database is damaged', async () => {
    const { store, folder } = await backedUp();
    await store.close();
    await writeFile(join(store.folder, 'store.sqlite'), 'no database any more');
    await restoreBackup(depsOf(store.folder), folder, { force: true, revocations: null });
    expect(await verifiedVersions(await openTestStore({ folder: store.folder }))).toHaveLength(2);
  });

  it('keeps versions yanked that were yanked after the backup', async () => {
    const { store, token, folder } = await backedUp();
    const app = '/api/apps/com.example.notes/versions/1.1.0';
    await store.call('POST', `${app}/yank`, { token, json: { reason: 'It lost notes.' } });
    await store.close();
    await restoreBackup(depsOf(store.folder), folder, { force: true, revocations: null });
    const restored = await openTestStore({ folder: store.folder });
    const list = await jsonOf<RevocationList>(restored.call('GET', '/api/apps/revocations'));
    expect(list.entries).toMatchObject([{ version: '1.1.0', reason: 'It lost notes.' }]);
    expect((await restored.call('GET', `${app}/bundle`)).status).toBe(410);
  });

  it('says when clients will refuse the log, and goes on with it where its tiles are', async () => {
    const { store, folder } = await backedUp();
    await store.runJob('Publishing the log');
    const { size } =
      (await jsonOf<StoreHealth>(store.admin('GET', '/api/admin/health'))).log ?? expect.fail();
    await store.close();
    const restoredIn = (dataDir: string) =>
      restoreCommand.run(
        { operands: [folder], options: { force: true } },
        readSettings({ SVC_DATA_DIR: dataDir }),
        AMBIENT,
      );
    expect(await restoredIn(await newDataDir())).toContain('copy its log/ and blobs/checkpoint here');
    expect(await restoredIn(store.folder)).not.toContain('blobs/checkpoint');
    const restored = await openTestStore({ folder: store.folder });
    await restored.runJob('Publishing the log');
    const { log } = await jsonOf<StoreHealth>(restored.admin('GET', '/api/admin/health'));
    expect(log?.size).toBeGreaterThanOrEqual(size);
  });

  it('does not replace a running store', DEEP, async () => {
    const { store, folder } = await backedUp();
    await store.close();
    const running = await startStore(store.folder);
    const restore = start({ SVC_DATA_DIR: store.folder }, ['restore', folder, '--force']);
    expect(await restore.exit).toBe(1);
    expect(restore.output.err).toMatch(
      /^svc-store: The store was not restored: a store is running on .*: stop it first\.\n$/,
    );
    expect(await verifiedVersions(running)).toHaveLength(2);
    expect(await readdir(store.folder)).not.toContain('restoring');
  });

  it('requires the key of the store or one of its successors', async () => {
    const { store } = await filledStore();
    const folder = join(await tempFolder(), 'backup');
    await takeBackup(depsOf(store.folder), folder, false);
    const dataDir = await newDataDir();
    await expect(restoreBackup(depsOf(dataDir), folder, { force: false, revocations: null })).rejects.toThrow(
      `put ${store.keyId} and its chain`,
    );

    const stranger = await openTestStore();
    const strange = { ...depsOf(dataDir), signingKeyFile: keyFileIn(stranger.folder) };
    await expect(restoreBackup(strange, folder, { force: false, revocations: null })).rejects.toThrow(
      `${stranger.keyId}, which does not follow`,
    );

    await rotateKeys({ ...depsOf(store.folder), databaseUrl: null }, later, silent);
    await cp(join(store.folder, 'keys'), join(dataDir, 'keys'), { recursive: true });
    const keys = await everythingIn(join(dataDir, 'keys'));
    await restoreBackup(depsOf(dataDir), folder, { force: false, revocations: null });
    expect(await everythingIn(join(dataDir, 'keys'))).toEqual(keys);
    const restored = await openTestStore({ folder: dataDir });
    expect((await jsonOf<PublicKeys>(restored.call('GET', '/api/apps/public-keys'))).keys).toHaveLength(2);
  });

  it('can be repeated after it was interrupted between the chain and the key', async () => {
    const { store, folder } = await backedUp();
    await store.close();
    const dataDir = await newDataDir();
    await restoreBackup(depsOf(dataDir), folder, { force: false, revocations: null });
    await rm(keyFileIn(dataDir));
    await mkdir(join(dataDir, 'restoring'));
    await expect(openTestStore({ folder: dataDir })).rejects.toThrow('remove the folder and restore again');
    await rm(join(dataDir, 'restoring'), { recursive: true });
    await restoreBackup(depsOf(dataDir), folder, { force: true, revocations: null });
    expect(await verifiedVersions(await openTestStore({ folder: dataDir }))).toHaveLength(2);
  });

  it('refuses a chain that belongs to another key', async () => {
    const { folder } = await backedUp();
    const dataDir = await newDataDir();
    await mkdir(join(dataDir, 'keys'), { recursive: true });
    await writeFile(`${keyFileIn(dataDir)}.chain.json`, '{}');
    await expect(restoreBackup(depsOf(dataDir), folder, { force: false, revocations: null })).rejects.toThrow(
      'is not the chain of the backup',
    );
  });

  it('never overwrites a key, not even with --force', async () => {
    const { folder } = await backedUp();
    const { store } = await filledStore(['1.0.0']);
    await store.close();
    const before = await everythingIn(store.folder);
    await expect(
      restoreBackup(depsOf(store.folder), folder, { force: true, revocations: null }),
    ).rejects.toThrow('does not follow');
    expect(await everythingIn(store.folder)).toEqual(before);
  });

  it('leaves no files when the disk is full, and reports that in one line', DEEP, async () => {
    const { store, token } = await filledStore(['1.0.0']);
    await store.upload(token, largeBundle('1.1.0', 2_000));
    const folder = join(await tempFolder(), 'backup');
    await takeBackup(depsOf(store.folder), folder, true);
    const dataDir = await newDataDir();
    const run = start({ SVC_DATA_DIR: dataDir }, ['restore', folder], 'trap "" XFSZ; ulimit -f 2000');
    expect(await run.exit).toBe(1);
    expect(run.output.err).toMatch(/^svc-store: The store was not restored: [^\n]+\n$/);
    expect(Object.keys(await everythingIn(dataDir))).toEqual(['keys']);
  });

  it('that was interrupted prevents stores and other restores from starting', async () => {
    const { store, folder } = await backedUp();
    await store.close();
    await mkdir(join(store.folder, 'restoring'));
    const before = await everythingIn(store.folder);
    await expect(openTestStore({ folder: store.folder })).rejects.toThrow(
      'a restore is in progress, or was interrupted',
    );
    const again = restoreBackup(depsOf(store.folder), folder, { force: true, revocations: null });
    await expect(again).rejects.toThrow('another restore is in progress, or was interrupted');
    expect(await everythingIn(store.folder)).toEqual(before);
  });

  it('that is killed leaves a store that does not start, or a complete one', {
    ...DEEP,
    timeout: 120_000,
  }, async () => {
    const { folder } = await backedUp();
    for (let round = 0; round < 5; round += 1) {
      const dataDir = await newDataDir();
      const deps = { SVC_DATA_DIR: dataDir, PORT: '0' };
      const run = start(deps, ['restore', folder]);
      // On a fast disk, the restore may end before the test sees the folder.
      const begun = async () =>
        run.child.exitCode !== null ||
        (await readdir(dataDir).catch((): string[] => [])).includes('restoring');
      await expect.poll(begun, { interval: 1 }).toBe(true);
      await sleep(round * 4);
      run.child.kill('SIGKILL');
      await run.exit;
      if ((await readdir(dataDir)).includes('restoring')) {
        const store = start(deps);
        expect(await store.exit).toBe(2);
        expect(store.output.err).toMatch(/^svc-store: .*restoring exists: a restore is in progress[^\n]*\n$/);
        await rm(join(dataDir, 'restoring'), { recursive: true });
        await restoreBackup(depsOf(dataDir), folder, { force: true, revocations: null });
      }
      const store = await openTestStore({ folder: dataDir });
      expect(await verifiedVersions(store)).toEqual(['1.0.0', '1.1.0']);
    }
  });

  it('changes nothing with --check', DEEP, async () => {
    const { store, folder } = await backedUp();
    const [before, held] = [await everythingIn(folder), await readdir(store.folder)];
    const run = start({ SVC_DATA_DIR: store.folder }, ['restore', folder, '--check']);
    expect(await run.exit).toBe(0);
    expect(run.output.err).toMatch(/ is complete\. It contains the store at [^\n]+\n$/);
    expect(await everythingIn(folder)).toEqual(before);
    expect(await readdir(store.folder)).toEqual(held);
  });
});
