import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RevocationList, StoreHealth } from '@svc/contracts';
import { readSigningKey, signRevocations } from '@svc/signing';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { copyOfDatabase, tamper } from '../support/database.ts';
import { ADMIN_TOKEN, jsonOf, openTestStore, type TestStore, twinOf } from '../support/test-store.ts';

const [LOST, KEPT, GONE] = ['com.example.lost', 'com.example.kept', 'com.example.gone'] as const;

const LATER_MS = 60_000;

async function release(store: TestStore, token: string, id: string): Promise<void> {
  expect((await store.publish(token, { id })).status).toBe(201);
  expect((await store.decide('approve', '1.0.0', undefined, id)).status).toBe(200);
}

async function yank(store: TestStore, id: string): Promise<void> {
  const path = `/api/apps/${id}/versions/1.0.0/yank`;
  const answer = await store.call('POST', path, { token: ADMIN_TOKEN, json: { reason: 'It lost notes.' } });
  expect(answer.status).toBe(200);
}

const listOf = (store: TestStore) => jsonOf<RevocationList>(store.call('GET', '/api/apps/revocations'));
const idsOf = ({ entries }: RevocationList) => entries.map(({ appId }) => appId);
const keptList = async ({ folder }: TestStore): Promise<RevocationList> =>
  JSON.parse(await readFile(join(folder, 'blobs', 'revocations'), 'utf8'));
const bundle = async (store: TestStore, id: string) =>
  (await store.call('GET', `/api/apps/${id}/versions/1.0.0/bundle`)).status;
const rollback = async (store: TestStore) =>
  (await jsonOf<StoreHealth>(store.admin('GET', '/api/admin/health'))).rollback;
const metric = async (store: TestStore, name: string) =>
  (await (await store.call('GET', '/metrics', { token: ADMIN_TOKEN })).text())
    .split('\n')
    .find((line) => line.startsWith(`${name} `));

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
  const newest = await listOf(store);
  expect(idsOf(newest)).toEqual([LOST]);
  return { store, token, goBack, newest };
}

describe('a database that is replaced by an older copy while the store runs', BOTH_DATABASES, () => {
  it('is noticed without a request: the yank stays, what is gone is named, and later yanks add to the list', async () => {
    const { store, token, goBack, newest } = await copied();
    store.advance(LATER_MS);
    await goBack();
    await expect.poll(() => bundle(store, LOST), { timeout: 20_000 }).toBe(410);
    await expect
      .poll(() => rollback(store), { timeout: 20_000 })
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
    for (const part of ['it was rolled back', 'no longer in the database', `${LOST} 1.0.0`, `${GONE} 1.0.0`])
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
  });

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
    await expect.poll(async () => idsOf(await listOf(store)), { timeout: 20_000 }).toEqual([LOST]);
    await store.dataChecks.run();
    expect((await listOf(store)).signedAt > newer.signedAt).toBe(true);
    expect(idsOf(await keptList(store))).toEqual([LOST]);
    expect(await bundle(store, LOST)).toBe(410);
  });

  it('is noticed by every process, and after all of them have restarted', async () => {
    const { store, goBack } = await copied();
    const twin = await twinOf(store);
    await goBack();
    for (const each of [store, twin]) {
      await expect.poll(async () => idsOf(await listOf(each)), { timeout: 20_000 }).toEqual([LOST]);
      await each.dataChecks.run();
      expect(await rollback(each)).toMatchObject({ yanks: [{ appId: LOST }], gone: [{ appId: GONE }] });
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
    await expect.poll(async () => (await rollback(store))?.gone, { timeout: 20_000 }).toHaveLength(1);
    await goForward();
    await expect.poll(async () => (await rollback(store))?.gone, { timeout: 20_000 }).toEqual([]);
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
