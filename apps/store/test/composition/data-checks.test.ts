import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RevocationList } from '@svc/contracts';
import { generateSigningKeyPem, readSigningKey, signRevocations } from '@svc/signing';
import { BOTH_DATABASES, DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { MIGRATION_NAMES } from '../../src/adapters/database/migrations.ts';
import { rotateKeys } from '../../src/composition/commands/rotate-keys.ts';
import { readSettings } from '../../src/composition/settings.ts';
import { jobMover } from '../../src/core/domain/versions/changes.ts';
import { copyOfDatabase, databaseOf, tamper } from '../support/database.ts';
import { ADMIN_TOKEN, openTestStore, type TestStore, twinOf } from '../support/test-store.ts';
import { bundle, healthOf, idsOf, listOf, metric, ready, release, yank } from '../support/yanks.ts';

const [LOST, KEPT, GONE] = ['com.example.lost', 'com.example.kept', 'com.example.gone'] as const;

const LATER_MS = 60_000;

const LAST_MIGRATION = MIGRATION_NAMES.at(-1);

/** The public key of another store. */
function generatedKey() {
  const { keyId, publicKeyPem } = readSigningKey(generateSigningKeyPem());
  return { keyId, publicKeyPem, createdAt: '2026-01-01T00:00:00.000Z' };
}

const keptList = async ({ folder }: TestStore): Promise<RevocationList> =>
  JSON.parse(await readFile(join(folder, 'blobs', 'revocations'), 'utf8'));
const rollback = async (store: TestStore) => (await healthOf(store)).rollback;

/** A store of which a copy of the database was taken before one app was yanked, and another one was published. */
async function copied() {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await release(store, token, LOST);
  await release(store, token, KEPT);
  await listOf(store);
  const goBack = await copyOfDatabase(store.folder);
  store.advance(LATER_MS);
  await expect.poll(() => store.admin('GET', '/api/admin/health').then(({ status }) => status)).toBe(200);
  await yank(store, LOST);
  await release(store, token, GONE);
  await store.dataChecks.run();
  // Four times a second a process looks for the last change; one that never saw it notices the older copy within a minute.
  await store.followChanges();
  const newest = await listOf(store);
  expect(idsOf(newest)).toEqual([LOST]);
  return { store, token, goBack, newest };
}

it('fifty failovers to an older copy lose no yank', DEEP, async () => {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  const yanked: string[] = [];
  let lost = 0;
  for (let round = 0; round < 50; round += 1) {
    const id = `com.example.app${round}`;
    await release(store, token, id);
    await listOf(store);
    const goBack = await copyOfDatabase(store.folder);
    store.advance(LATER_MS);
    await expect.poll(() => ready(store)).toBe(200);
    await yank(store, id);
    yanked.push(id);
    await store.followChanges();
    await goBack();
    await expect.poll(() => ready(store)).toBe(200);
    await store.dataChecks.run();
    const listed = idsOf(await listOf(store));
    lost += yanked.filter((one) => !listed.includes(one)).length;
    expect(await bundle(store, id)).toBe(410);
  }
  expect([yanked.length, lost]).toEqual([50, 0]);
});

describe('a database that is replaced by an older copy while the store runs', () => {
  it(
    'is noticed without a request: the yank stays, what is gone is named, and later yanks add to the list',
    BOTH_DATABASES,
    async () => {
      const { store, token, goBack, newest } = await copied();
      store.advance(LATER_MS);
      await goBack();
      await expect.poll(() => bundle(store, LOST)).toBe(410);
      await expect
        .poll(() => rollback(store))
        .toEqual({
          noticedAt: store.clock().toISOString(),
          yanks: [{ appId: LOST, version: '1.0.0' }],
          gone: [{ appId: GONE, version: '1.0.0' }],
        });
      const restored = await listOf(store);
      expect(idsOf(restored)).toEqual([LOST]);
      expect(restored.signedAt > newest.signedAt).toBe(true);
      expect(await metric(store, 'svc_rollback')).toBe('svc_rollback 1');
      expect(await metric(store, 'svc_rollback_versions{part="yanks"}')).toMatch(/ 1$/);
      expect(await metric(store, 'svc_rollback_versions{part="gone"}')).toMatch(/ 1$/);
      const said = store.lines.join('\n');
      for (const part of [
        'it was rolled back',
        'no longer in the database',
        `${LOST} 1.0.0`,
        `${GONE} 1.0.0`,
      ])
        expect(said).toContain(part);
      await yank(store, KEPT);
      expect(idsOf(await listOf(store))).toEqual([KEPT, LOST]);
      expect(idsOf(await keptList(store))).toEqual([KEPT, LOST]);
      // A greater version is what clients update to: it is no longer gone. The rest of the record lasts for a week.
      store.advance(LATER_MS);
      await store.publish(token, { id: GONE, version: '1.0.1' });
      await store.decide('approve', '1.0.1', undefined, GONE);
      await store.dataChecks.run();
      expect(await rollback(store)).toMatchObject({ gone: [], yanks: [{ appId: LOST }] });
      store.advance(8 * 24 * 3_600_000);
      await store.dataChecks.run();
      expect(await rollback(store)).toBeNull();
    },
  );

  it('loses no yank when the next one is signed before anything else is checked', async () => {
    const { store, goBack, newest } = await copied();
    await goBack();
    const yanked = async () => {
      const path = `/api/apps/${KEPT}/versions/1.0.0/yank`;
      return (await store.call('POST', path, { token: ADMIN_TOKEN, json: { reason: 'It lost notes.' } }))
        .status;
    };
    await expect.poll(yanked).toBe(200);
    const list = await listOf(store);
    expect([idsOf(list), idsOf(await keptList(store))]).toEqual([
      [KEPT, LOST],
      [KEPT, LOST],
    ]);
    expect(list.signedAt > newest.signedAt).toBe(true);
  });

  it('loses no yank when a newer list without it was signed before the check', async () => {
    const { store, goBack } = await copied();
    const key = readSigningKey(await readFile(join(store.folder, 'keys', 'signing-key.pem'), 'utf8'));
    await goBack();
    const newer = signRevocations([], '2026-03-01T12:59:00.000Z', key);
    await tamper(store.folder, `update revocation_list set list_json = '${JSON.stringify(newer)}'`);
    await expect.poll(async () => idsOf(await listOf(store))).toEqual([LOST]);
    await store.dataChecks.run();
    expect((await listOf(store)).signedAt > newer.signedAt).toBe(true);
    expect(idsOf(await keptList(store))).toEqual([LOST]);
    expect(await bundle(store, LOST)).toBe(410);
  });

  it('is noticed by every process, and after all of them have restarted', BOTH_DATABASES, async () => {
    const { store, goBack } = await copied();
    const twin = await twinOf(store);
    await goBack();
    for (const each of [store, twin]) {
      await expect.poll(async () => idsOf(await listOf(each))).toEqual([LOST]);
      // One process restores the list, and the record tells the other.
      await expect
        .poll(async () => {
          for (const one of [store, twin]) await one.dataChecks.run();
          return rollback(each);
        })
        .toMatchObject({ yanks: [{ appId: LOST }], gone: [{ appId: GONE }] });
    }
    for (const each of new Set([store, twin])) await each.close();
    const again = await openTestStore({ folder: store.folder });
    expect(idsOf(await listOf(again))).toEqual([LOST]);
    expect(await rollback(again)).toMatchObject({ yanks: [{ appId: LOST }], gone: [{ appId: GONE }] });
  });

  it('is reported no longer once the newer one is back', async () => {
    const { store, goBack } = await copied();
    const goForward = await copyOfDatabase(store.folder);
    await goBack();
    await expect.poll(async () => (await rollback(store))?.gone).toHaveLength(1);
    await goForward();
    await expect.poll(async () => (await rollback(store))?.gone).toEqual([]);
    expect(idsOf(await listOf(store))).toEqual([LOST]);
  });
});

/** The record of what was published, as it is kept beside the bundles. */
describe('the record of published versions', () => {
  it('is compared after a restart, and only when a key of the store has signed it', async () => {
    const { store } = await copied();
    const file = join(store.folder, 'blobs', 'published');
    const text = await readFile(file, 'utf8');
    expect(text).toContain(GONE);
    await store.close();
    await writeFile(file, text.replaceAll(GONE, 'com.example.none'));
    const again = await openTestStore({ folder: store.folder });
    expect(await rollback(again)).toBeNull();
    expect(await readFile(file, 'utf8')).toContain(GONE);
  });
});

const logged = (text: string) => async (store: TestStore) => {
  await expect.poll(() => store.lines.join('\n')).toContain(text);
};
const notReady = async (store: TestStore) => expect(await ready(store)).toBe(503);

/** Each check of the start by the function that makes it: what happens to a running store, and how that is noticed. */
const CHECKS: readonly (readonly [
  check: string,
  harm: (store: TestStore) => Promise<unknown>,
  noticed: (store: TestStore) => Promise<unknown>,
])[] = [
  ['requireNoRestore', ({ folder }) => mkdir(join(folder, 'restoring')), notReady],
  [
    'migrated',
    ({ folder }) => tamper(folder, `delete from kysely_migration where name = '${LAST_MIGRATION}'`),
    async (store) => {
      await notReady(store);
      // The database of another test on PostgreSQL.
      await tamper(store.folder, `insert into kysely_migration values ('${LAST_MIGRATION}', '2026')`);
      expect(await ready(store)).toBe(200);
    },
  ],
  ['requireRightDatabase', ({ folder }) => tamper(folder, 'delete from blob_owner'), notReady],
  [
    'requireRightDatabase',
    ({ folder }) => tamper(folder, `update blob_owner set name = 'another'`),
    async (store) => {
      await notReady(store);
      // A list that this key signs of the yanks of another store would undo those of this one.
      const { signedAt } = await listOf(store);
      store.advance(2 * 3_600_000);
      expect((await listOf(store)).signedAt).toBe(signedAt);
      await logged('The database is that of the store another')(store);
    },
  ],
  [
    'openKeys',
    ({ folder }) => tamper(folder, 'delete from key_chain'),
    (store) => expect(store.dataChecks.run()).rejects.toThrow('The database has no signing key'),
  ],
  [
    'openKeys',
    ({ folder }) => tamper(folder, `update key_chain set keys_json = '${JSON.stringify([generatedKey()])}'`),
    (store) => expect(store.dataChecks.run()).rejects.toThrow('is not a key of this store'),
  ],
  ['requireOwnBlobs', ({ folder }) => writeFile(join(folder, 'blobs', 'owner'), 'another'), notReady],
  [
    'reportMissing',
    async (store) => {
      const [file = ''] = await store.filesUnder('blobs');
      await rm(join(store.folder, 'blobs', file.slice(0, 2), file));
      store.advance(3_600_000);
      await store.dataChecks.run();
    },
    logged('lacks files of versions'),
  ],
  [
    'resumeVersions',
    async (store) => {
      const at = store.clock().toISOString();
      const move = { from: 'in_review', to: 'approved' } as const;
      await store.publish(await store.publisherToken(), { id: GONE });
      await store.stores.versions.move({ appId: GONE, version: '1.0.0' }, move, {}, jobMover('checker', at));
    },
    (store) => expect.poll(() => bundle(store, GONE)).toBe(200),
  ],
];

/** Functions that only prepare what they open, and checks that the tests above make, or those of the parts that they name. */
const NO_ROWS = {
  openFolderDurably: 'creates the folder',
  requireInPlace: 'is made for each write',
  requireSameDatabase: 'is the check of a running store',
  openDatabase: 'its checks have rows',
  openBlobs: 'its probe needs a volume that turns read-only',
  ownsBlobs: 'claims an empty storage; the sweep repeats it',
  dataChecks: 'the revocation list and the published versions, above',
};

describe('every check that a store makes when it starts', () => {
  it.each(CHECKS)('%s is made while it runs too', async (_check, harm, noticed) => {
    const store = await openTestStore();
    await release(store, await store.publisherToken('example', true), KEPT);
    await listOf(store);
    expect(await ready(store)).toBe(200);
    await harm(store);
    await noticed(store);
  });

  it('has a row', async () => {
    const files = ['open-data', 'open-parts', 'open-store'].map((name) =>
      readFile(join(import.meta.dirname, '../../src/composition', `${name}.ts`), 'utf8'),
    );
    const calls =
      /(?:\b(require[A-Z]\w+)|await (?:usable\()?(?:store\.)?((?:wrong|owns|report|restore|resume|check|open(?:Folder|Database|Blobs|Keys))\w*|migrated|dataChecks))\b/g;
    const found = new Set(
      (await Promise.all(files)).flatMap((text) =>
        [...text.matchAll(calls)].map(([, required, name]) => required ?? name),
      ),
    );
    const rows = new Set([
      ...CHECKS.map(([check]) => check),
      ...Object.keys(NO_ROWS),
      'checkKeys',
      'requireOwnKeys',
      'wrongBlobs',
    ]);
    expect([...found].filter((name) => name === undefined || !rows.has(name))).toEqual([]);
    expect(found.size).toBeGreaterThan(8);
  });
});

it('gives an older copy of the database the chain of keys again, which lost a rotation', async () => {
  const first = await openTestStore();
  const goBack = await copyOfDatabase(first.folder);
  await first.close();
  const settings = readSettings({ SVC_DATA_DIR: first.folder, ...(await databaseOf(first.folder)) });
  await rotateKeys(settings, first.clock, { info() {}, warn() {}, error() {} });
  const store = await openTestStore({ folder: first.folder });
  const chain = await store.stores.signingKeys.known();
  expect(chain).toHaveLength(2);
  await goBack();
  await store.dataChecks.run();
  expect(await store.stores.signingKeys.known()).toEqual(chain);
  expect(await rollback(store)).toMatchObject({ gone: [], yanks: [] });
  expect(store.lines.join('\n')).toContain('older than the last rotation of the signing key');
});
