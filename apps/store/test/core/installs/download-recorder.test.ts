import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BOTH_DATABASES, DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createStores, createUnitOfWork } from '../../../src/adapters/database/stores.ts';
import { rotateSigningKey } from '../../../src/adapters/disk/key-chain-file.ts';
import {
  createDownloadRecorder,
  type RecordedDownload,
} from '../../../src/core/installs/download-recorder.ts';
import { macWith } from '../../../src/platform/secret.ts';
import { contentsOf, openDatabase } from '../../support/database.ts';
import { needsExtension } from '../../support/extensions.ts';
import { APP, installOf, openRatedStore } from '../../support/rated-store.ts';
import { twinOf } from '../../support/test-store.ts';
import { addPublisher, submitRow, submitVersion, VERSION } from '../../support/version-row.ts';

const RATED = needsExtension('ratings');
const BUNDLE = `/api/apps/${APP}/versions/1.0.0/bundle`;

describe('a download', () => {
  it(
    'counts an installation once per app, also with several versions or downloads',
    BOTH_DATABASES,
    async () => {
      const store = await openRatedStore();
      await store.publishVersion('1.1.0');
      for (const name of ['anna', 'ben', 'anna']) await store.install(name);
      await store.writeInstalls();
      store.advance(3 * 24 * 3_600_000);
      await store.install('anna', '1.1.0');
      await store.install('anna', '1.1.0');
      await store.writeInstalls();
      expect(await store.listing()).toMatchObject({ installs: 2 });
    },
  );

  it('is not counted for a HEAD request, a 304 or 404 response, or an invalid installation id', async () => {
    const store = await openRatedStore();
    const ask = (method: string, headers: Record<string, string>) => store.call(method, BUNDLE, { headers });
    const id = { 'x-svc-install-id': installOf('anna') };
    const { headers } = await ask('GET', {});
    expect((await ask('HEAD', id)).status).toBe(200);
    expect((await ask('GET', { ...id, 'if-none-match': String(headers.get('etag')) })).status).toBe(304);
    const none = ['', 'a'.repeat(15), 'a'.repeat(129), 'installation of anna', '<script>alert(1)</script>'];
    for (const text of none) expect((await ask('GET', { 'x-svc-install-id': text })).status).toBe(200);
    expect((await store.call('GET', `/api/apps/${APP}/versions/9.9.9/bundle`, { headers: id })).status).toBe(
      404,
    );
    await store.writeInstalls();
    expect(await store.listing()).toMatchObject({ installs: 0 });
  });

  it('is not counted immediately, but at the latest when the store closes', async () => {
    const store = await openRatedStore();
    await store.install('anna');
    expect(await store.listing()).toMatchObject({ installs: 0 });
    await store.close();
    const again = await openRatedStore({ folder: store.folder });
    expect(await again.listing()).toMatchObject({ installs: 1 });
  });

  it('is counted once by two concurrent processes', BOTH_DATABASES, async () => {
    const store = await openRatedStore();
    const twin = await twinOf(store);
    const headers = { 'x-svc-install-id': installOf('anna') };
    await Promise.all([store, twin, store, twin].map((one) => one.call('GET', BUNDLE, { headers })));
    await Promise.all([store.writeInstalls(), twin.writeInstalls(), store.writeInstalls()]);
    expect(await store.listing()).toMatchObject({ installs: 1 });
  });

  it('leaves no installation id in the database or the log', async () => {
    const store = await openRatedStore();
    await store.publishVersion('1.0.0', 'com.example.other');
    await store.install('anna');
    await store.install('anna', '1.0.0', 'com.example.other');
    await store.writeInstalls();
    await store.close();
    const held = await contentsOf(store.folder);
    expect(held).toContain('com.example.other');
    expect(held).not.toContain(installOf('anna'));
    expect(store.lines.join('\n')).not.toContain(installOf('anna'));
  });

  it('counts as the same installation after the signing key was rotated', async () => {
    const store = await openRatedStore();
    await store.install('anna');
    await store.close();
    const keyFile = join(store.folder, 'keys', 'signing-key.pem');
    const chain = await rotateSigningKey(keyFile, '2026-12-01T12:00:00.000Z', async () => {});
    const again = await openRatedStore({ folder: store.folder });
    expect(again.keyId).toBe(chain.at(-1)?.keyId);
    await again.install('anna');
    await again.install('ben');
    await again.writeInstalls();
    expect(await again.listing()).toMatchObject({ installs: 2 });
  });
});

it('an app that leaves the catalogue and comes back keeps its installs and its rating', RATED, async () => {
  const store = await openRatedStore();
  await store.rated('anna', 5);
  await store.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
  expect(await store.listing()).toMatchObject({ httpStatus: 410 });
  await store.publishVersion('1.0.1');
  expect(await store.listing()).toMatchObject({ installs: 1, rating: { average: 5, count: 1 } });
});

describe('the download recorder', () => {
  const OTHER_APP = 'com.example.other';

  /** A recorder over a real database with two apps, and a clock. */
  async function openRecorder() {
    const db = await openDatabase();
    await addPublisher(db);
    const stores = createStores(db);
    await submitRow(stores);
    await submitVersion(stores, { ...VERSION, appId: OTHER_APP }, 'example');
    let now = Date.parse('2026-03-01T12:00:00.000Z');
    const state = { fails: false };
    const real = createUnitOfWork(db);
    const unitOfWork: typeof real = (work) => (state.fails ? Promise.reject(new Error('away')) : real(work));
    const clock = () => new Date(now);
    const installMac = macWith(randomBytes(32));
    const recorder = createDownloadRecorder({ unitOfWork, clock, installMac });
    const record = (installId: string, address: string | null, more: Partial<RecordedDownload> = {}) =>
      recorder.recordDownload({ ...VERSION, installId, address, ...more });
    const installs = async () => (await stores.appStats.of(VERSION.appId)).installs;
    const known = async () => (await db.selectFrom('installs').selectAll().execute()).length;
    return { ...recorder, record, installs, known, state, tomorrow: () => (now += 24 * 3_600_000) };
  }

  const id = (n: number): string => `installation-${n}-of-many`;

  it('keeps downloads in the queue while the database is unavailable', async () => {
    const { record, writeInstalls, installs, state } = await openRecorder();
    state.fails = true;
    record(id(1), '203.0.113.1');
    await expect(writeInstalls()).rejects.toThrow('away');
    record(id(2), '203.0.113.2');
    state.fails = false;
    await writeInstalls();
    expect(await installs()).toBe(2);
  });

  it('counts 50 installations per day and network (/48 for IPv6), and stores the others uncounted', async () => {
    const { record, writeInstalls, installs, known, tomorrow } = await openRecorder();
    const from = (subnet: number, n: number) => `2001:db8:1:${subnet.toString(16)}::${n.toString(16)}`;
    for (let n = 0; n < 60; n += 1) record(id(n), from(n, n));
    await writeInstalls();
    for (let n = 60; n < 90; n += 1) record(id(n), from(1, n));
    record(id(1_000), '2001:db8:2::1');
    await writeInstalls();
    expect([await installs(), await known()]).toEqual([51, 91]);
    tomorrow();
    record(id(59), from(1, 1));
    record(id(100), from(1, 1));
    await writeInstalls();
    expect(await installs()).toBe(52);
  });

  it('stores 1,000 installations per day and network, of all apps together', async () => {
    const { record, writeInstalls, known } = await openRecorder();
    for (let n = 0; n < 1_100; n += 1) {
      record(id(n), '203.0.113.1', { appId: n % 2 === 0 ? VERSION.appId : OTHER_APP });
      if (n % 150 === 149) await writeInstalls();
    }
    await writeInstalls();
    expect(await known()).toBe(1_000);
  });

  it('queues at most 20,000 downloads, and 200 of one network', DEEP, async () => {
    const { record, writeInstalls, known } = await openRecorder();
    for (let n = 0; n < 1_000; n += 1) record(id(n), '203.0.113.1');
    await writeInstalls();
    expect(await known()).toBe(200);
    const network = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
    for (let n = 0; n < 21_000; n += 1) record(id(n), network(n));
    await writeInstalls();
    expect(await known()).toBe(20_000);
  });
});
