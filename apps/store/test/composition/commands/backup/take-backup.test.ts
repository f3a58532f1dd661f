import { cp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEEP } from '@svc/testkit';
import { accessibleIn, makeAccessible, withoutUmask } from '@svc/testkit/private-tree';
import { describe, expect, it, type TestOptions } from 'vitest';
import { checkBackup, restoreBackup } from '../../../../src/composition/commands/backup/restore-backup.ts';
import { blobIn, takeBackup } from '../../../../src/composition/commands/backup/take-backup.ts';
import {
  backedUp,
  depsOf,
  everythingIn,
  filledStore,
  largeBundle,
  tempFolder,
  verifiedVersions,
} from '../../../support/backup.ts';
import { start } from '../../../support/program.ts';
import { type StoreFace, startStore } from '../../../support/store-process.ts';
import { ADMIN_TOKEN, bodyOf, jsonOf, openTestStore } from '../../../support/test-store.ts';

async function flipBit(file: string): Promise<void> {
  const bytes = await readFile(file);
  const at = bytes.byteLength >> 1;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await writeFile(file, bytes);
}

describe('a backup', () => {
  it(
    'keeps all of its files private with a umask of 0, also in a folder that was open to all',
    DEEP,
    async () => {
      const { store } = await filledStore();
      const folder = await tempFolder();
      makeAccessible(folder);
      await withoutUmask(() => takeBackup(depsOf(store.folder), folder, true));
      expect(accessibleIn(folder)).toEqual([]);
      const dataDir = await tempFolder();
      makeAccessible(dataDir);
      await withoutUmask(() => restoreBackup(depsOf(dataDir), folder, { force: false, revocations: null }));
      expect(accessibleIn(dataDir)).toEqual([]);
    },
  );

  it('contains a running store, and restores to one with the same responses', async () => {
    const { store } = await filledStore();
    const folder = join(await tempFolder(), 'backup');
    await takeBackup(depsOf(store.folder), folder, true);
    const dataDir = join(await tempFolder(), 'data');
    await restoreBackup(depsOf(dataDir), folder, { force: false, revocations: null });
    const restored = await openTestStore({ folder: dataDir });
    expect(await verifiedVersions(restored)).toEqual(['1.0.0', '1.1.0']);
    const pages = ['/api/apps/catalog', '/api/apps/com.example.notes', '/api/apps/public-keys'];
    for (const page of pages) {
      expect(await bodyOf(restored.call('GET', page))).toEqual(await bodyOf(store.call('GET', page)));
    }
    const picture = '/api/apps/com.example.notes/versions/1.0.0/files/assets/icon.png';
    expect((await restored.call('GET', picture)).status).toBe(200);
  });

  it('copies only new blobs into the folder of an earlier backup', async () => {
    const { store, token } = await filledStore();
    const folder = join(await tempFolder(), 'backup');
    const first = await takeBackup(depsOf(store.folder), folder, false);
    const [known] = first.record.blobs;
    const file = blobIn(folder, known?.sha256 as string);
    const before = await stat(file);
    await store.upload(token, largeBundle('1.2.0'));
    const second = await takeBackup(depsOf(store.folder), folder, false);
    const added = second.record.blobs.filter(({ sha256 }) =>
      first.record.blobs.every((b) => b.sha256 !== sha256),
    );
    expect(added).toHaveLength(1);
    expect(second.copied).toBe(added[0]?.size);
    expect((await stat(file)).ino).toBe(before.ino);
    expect(await readdir(join(folder, 'parts'))).toEqual([second.record.database.sha256]);
    await checkBackup(folder);
  });

  it('repairs a truncated blob of an earlier backup', async () => {
    const { store, folder } = await backedUp();
    const { blobs } = await checkBackup(folder);
    await truncate(blobIn(folder, blobs[0]?.sha256 as string), 10);
    await expect(checkBackup(folder)).rejects.toThrow('is damaged');
    await takeBackup(depsOf(store.folder), folder, true);
    await checkBackup(folder);
  });

  it('contains the private key only with --with-keys, and removes it otherwise', async () => {
    const { store, folder } = await backedUp();
    const pem = await readFile(join(store.folder, 'keys', 'signing-key.pem'));
    const holdsKey = async () => Object.values(await everythingIn(folder)).includes(pem.toString('base64'));
    expect(await holdsKey()).toBe(true);
    await takeBackup(depsOf(store.folder), folder, false);
    expect(await holdsKey()).toBe(false);
    for (const name of await readdir(folder, { recursive: true })) {
      expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
    }
  });

  it('is refused in the folder of a store, and in folders with other files', async () => {
    const { store } = await filledStore(['1.0.0']);
    // A running store writes of its own accord.
    await store.close();
    const before = await everythingIn(store.folder);
    const other = await tempFolder();
    await writeFile(join(other, 'letter.txt'), 'dear');
    await writeFile(join(other, 'file'), '');
    const way = join(await tempFolder(), 'way');
    await symlink(store.folder, way);
    const within = [
      store.folder,
      join(store.folder, 'new', 'deep'),
      way,
      join(way, 'blobs'),
      join(store.folder, '..', store.folder.split('/').at(-1) as string),
    ];
    for (const folder of within) {
      await expect(takeBackup(depsOf(store.folder), folder, false)).rejects.toThrow(
        'within the store itself',
      );
    }
    await expect(takeBackup(depsOf(store.folder), other, false)).rejects.toThrow('is not empty');
    await expect(takeBackup(depsOf(store.folder), join(other, 'file'), false)).rejects.toThrow(
      'There is a file in its place',
    );
    await expect(takeBackup(depsOf(other), join(other, '..', 'nothing-here'), false)).rejects.toThrow(
      'there is no store',
    );
    await rm(join(other, '..', 'nothing-here'), { recursive: true });
    expect(await everythingIn(store.folder)).toEqual(before);
  });

  it('is made by one process at a time', DEEP, async () => {
    const { store, folder } = await backedUp();
    const settings = { SVC_DATA_DIR: store.folder };
    const runs = Array.from({ length: 4 }, () => start(settings, ['backup', folder]));
    const codes = await Promise.all(runs.map(({ exit }) => exit));
    expect(codes).toContain(0);
    for (const [i, { output }] of runs.entries()) {
      if (codes[i] !== 0)
        expect(output.err).toBe(
          'svc-store: The backup was not taken: another backup into the same folder is in progress.\n',
        );
    }
    await checkBackup(folder);
  });

  const LOSSES: [string, TestOptions, (file: string) => Promise<unknown>][] = [
    ['missing', {}, (file) => rm(file)],
    [
      'changed by a bit',
      DEEP,
      async (file) => {
        const bytes = await readFile(file);
        bytes[50] = (bytes[50] as number) ^ 1;
        await writeFile(file, bytes);
      },
    ],
  ];
  for (const [loss, options, harm] of LOSSES)
    it(
      `reports a blob of the store that is ${loss}, contains the others, and exits with 1`,
      options,
      async () => {
        const { store, token } = await filledStore(['1.0.0']);
        const folder = join(await tempFolder(), 'backup');
        const first = await takeBackup(depsOf(store.folder), folder, false);
        await store.upload(token, largeBundle('1.1.0'));
        await store.upload(token, largeBundle('1.2.0'));
        const names = await store.filesUnder('blobs');
        const fresh = names.find((name) =>
          first.record.blobs.every(({ sha256 }) => sha256 !== name),
        ) as string;
        await harm(blobIn(store.folder, fresh));
        await store.close();
        const run = start({ SVC_DATA_DIR: store.folder }, ['backup', folder]);
        expect(await run.exit).toBe(1);
        expect(run.output.err).toContain(`not in the backup: ${blobIn(store.folder, fresh)}.`);
        const record = await checkBackup(folder);
        expect(record.missing).toEqual([fresh]);
        expect(record.blobs).toHaveLength(names.length - 1);
        const check = start({ SVC_DATA_DIR: store.folder }, ['restore', folder, '--check']);
        expect(await check.exit).toBe(1);
        expect(check.output.err).toContain(`is incomplete. It lacks 1 blobs: ${fresh}.`);
        const dataDir = join(await tempFolder(), 'data');
        await takeBackup(depsOf(store.folder), folder, true);
        await restoreBackup(depsOf(dataDir), folder, { force: false, revocations: null });
      },
    );

  it.each<[string, 'backup' | 'store', (file: string) => Promise<void>]>([
    ['a changed bit in the backup', 'backup', flipBit],
    ['a changed bit in the store', 'store', flipBit],
    ['an empty file in the backup', 'backup', (file) => truncate(file, 0)],
    ['an empty file in the store', 'store', (file) => truncate(file, 0)],
    ['a missing file in the store', 'store', (file) => rm(file)],
  ])('repairs %s from the other copy, for every blob', async (_name, side, harm) => {
    const { store, folder } = await backedUp();
    const { blobs } = await checkBackup(folder);
    for (const { sha256 } of blobs) await harm(blobIn(side === 'store' ? store.folder : folder, sha256));
    const { repaired, record } = await takeBackup(depsOf(store.folder), folder, true);
    expect(record.missing).toEqual([]);
    expect(repaired.map(({ sha256, outcome }) => [sha256, outcome])).toEqual(
      blobs.map(({ sha256 }) => [sha256, `repaired in the ${side}`]),
    );
    await checkBackup(folder);
    const again = await openTestStore({ folder: store.folder });
    expect(await verifiedVersions(again)).toEqual(['1.0.0', '1.1.0']);
  });

  it('keeps the earlier backup when the disk is full, and reports that in one line', DEEP, async () => {
    const { store, token } = await filledStore(['1.0.0']);
    const folder = join(await tempFolder(), 'backup');
    const first = await takeBackup(depsOf(store.folder), folder, false);
    await store.upload(token, largeBundle('1.1.0', 2_000));
    await store.close();
    // The limit is 1000 KiB per file: the database is smaller, the new bundle is larger.
    const full = 'trap "" XFSZ; ulimit -f 2000';
    const run = start({ SVC_DATA_DIR: store.folder }, ['backup', folder], full);
    expect(await run.exit).toBe(1);
    expect(run.output.err).toMatch(/^svc-store: The backup was not taken: [^\n]+\n$/);
    expect(await checkBackup(folder)).toMatchObject(first.record);
    expect(await readdir(folder)).not.toContain('unfinished');
  });

  it('is complete, or keeps the earlier backup, whenever it is killed', {
    ...DEEP,
    timeout: 120_000,
  }, async () => {
    const { store, token } = await filledStore(['1.0.0']);
    const folder = join(await tempFolder(), 'backup');
    await takeBackup(depsOf(store.folder), folder, true);
    const settings = { SVC_DATA_DIR: store.folder };
    let whole = 0;
    for (let round = 0; round < 5; round += 1) {
      await store.upload(token, largeBundle(`1.${round + 1}.0`));
      const run = start(settings, ['backup', folder, '--with-keys']);
      if (round > 0) {
        await expect.poll(() => readdir(folder), { interval: 2 }).toContain('unfinished');
        await sleep(round * 3);
        run.child.kill('SIGKILL');
      }
      if ((await run.exit) === 0) whole += 1;
      const { blobs } = await checkBackup(folder);
      expect(blobs.length).toBeGreaterThan(2);
    }
    expect(whole).toBeGreaterThan(0);
    await takeBackup(depsOf(store.folder), folder, false);
    expect(await readdir(join(folder, 'parts'))).toHaveLength(1);
  });
});

describe('a backup while developers publish', () => {
  const APPS = ['com.example.alpha', 'com.example.beta', 'com.example.gamma'];

  /**
   * Publishes versions of one app until `stop` is called, but no more than are allowed at a time. Returns the acknowledged versions.
   */
  async function publishing(store: StoreFace, appId: string, allowed: () => number) {
    const slug = appId.split('.').at(-1) as string;
    const admin = { token: ADMIN_TOKEN };
    await store.call('POST', '/api/admin/publishers', {
      ...admin,
      json: { slug, name: slug, verified: true },
    });
    const made = await store.call('POST', '/api/admin/tokens', { ...admin, json: { publisher: slug } });
    const { token } = await jsonOf<{ token: string }>(made);
    const acknowledged: string[] = [];
    const publish = async (version: string) => {
      const bytes = largeBundle(version, 100, slug, appId);
      const headers = { 'content-type': 'application/zip' };
      const body = bytes as Uint8Array<ArrayBuffer>;
      const { status } = await store.call('POST', '/api/apps/publish', { token, body, headers });
      if (status === 201) acknowledged.push(version);
      return status;
    };
    await publish('1.0.0');
    const approve = `/api/moderation/apps/${appId}/versions/1.0.0/approve`;
    expect((await store.call('POST', approve, admin)).status).toBe(200);
    let going = true;
    const done = (async () => {
      while (going) {
        if (acknowledged.length < allowed()) expect(await publish(`1.${acknowledged.length}.0`)).toBe(201);
        else await sleep(20);
      }
    })();
    const stop = () => {
      going = false;
      return done;
    };
    return { appId, acknowledged, stop };
  }

  it('contains every version that was acknowledged before it started', {
    ...DEEP,
    timeout: 120_000,
  }, async () => {
    const data = await tempFolder();
    const folder = join(await tempFolder(), 'backup');
    const store = await startStore(data);
    let allowed = 2;
    const developers = await Promise.all(APPS.map((appId) => publishing(store, appId, () => allowed)));
    const published = () => developers.flatMap((d) => d.acknowledged).length;
    const backups: { copy: string; acknowledged: string[][] }[] = [];
    // Up to the upload quota of a developer, 20.
    for (const more of [10, 20]) {
      await expect.poll(published).toBe(allowed * developers.length);
      const acknowledged = developers.map((d) => [...d.acknowledged]);
      // They go on while the backup is taken.
      allowed = more;
      const backup = start({ SVC_DATA_DIR: data }, ['backup', folder, '--with-keys']);
      expect([await backup.exit, backup.output.err]).toEqual([
        0,
        expect.stringContaining('contains the store at'),
      ]);
      const copy = join(await tempFolder(), 'copy');
      await cp(folder, copy, { recursive: true });
      backups.push({ copy, acknowledged });
    }
    await expect.poll(published).toBe(20 * developers.length);
    await Promise.all(developers.map((d) => d.stop()));
    for (const { copy, acknowledged } of backups) {
      const restoredTo = await join(await tempFolder(), 'data');
      const restore = start({ SVC_DATA_DIR: restoredTo }, ['restore', copy]);
      expect([await restore.exit, restore.output.err]).toEqual([0, expect.stringContaining('Restored')]);
      const restored = await startStore(restoredTo);
      for (const [i, appId] of APPS.entries()) {
        expect(await verifiedVersions(restored, appId)).toEqual(
          expect.arrayContaining(acknowledged[i] as string[]),
        );
      }
    }
  });
});
