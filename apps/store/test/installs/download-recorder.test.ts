import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BOTH_DATABASES, DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createStores, createUnitOfWork } from '../../src/adapters/database/stores.ts';
import { rotateSigningKey } from '../../src/adapters/disk/key-chain-file.ts';
import { createDownloadRecorder, type RecordedDownload } from '../../src/installs/download-recorder.ts';
import { macWith } from '../../src/platform/secret.ts';
import { contentsOf, openDatabase } from '../support/database.ts';
import { APP, installOf, openRatedStore } from '../support/rated-store.ts';
import { twinOf } from '../support/test-store.ts';
import { addPublisher, submitRow, VERSION } from '../support/version-row.ts';

const BUNDLE = `/api/apps/${APP}/versions/1.0.0/bundle`;

describe('a download', () => {
  it(
    'counts an installation once for an app, whatever it fetches and however often',
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

  it('counts nothing when it only asks, has it already, or says no id that is one', async () => {
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

  it('is counted some time later, or when the store closes', async () => {
    const store = await openRatedStore();
    await store.install('anna');
    expect(await store.listing()).toMatchObject({ installs: 0 });
    await store.close();
    const again = await openRatedStore({ folder: store.folder });
    expect(await again.listing()).toMatchObject({ installs: 1 });
  });

  it('is counted once by two processes at once', BOTH_DATABASES, async () => {
    const store = await openRatedStore();
    const twin = await twinOf(store);
    const headers = { 'x-svc-install-id': installOf('anna') };
    await Promise.all([store, twin, store, twin].map((one) => one.call('GET', BUNDLE, { headers })));
    await Promise.all([store.writeInstalls(), twin.writeInstalls(), store.writeInstalls()]);
    expect(await store.listing()).toMatchObject({ installs: 1 });
  });

  it('leaves no id of an installation anywhere, and no two apps that show the same one', async () => {
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

  it('is the same installation after the signing key was rotated', async () => {
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

it('is remembered of an app that leaves the catalogue and comes back', async () => {
  const store = await openRatedStore();
  await store.rated('anna', 5);
  await store.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It lost notes.' });
  expect(await store.listing()).toMatchObject({ httpStatus: 404 });
  await store.publishVersion('1.0.1');
  expect(await store.listing()).toMatchObject({ installs: 1, rating: { average: 5, count: 1 } });
});

describe('notes of installs', () => {
  /** Notes over a real database with one app, and a clock. */
  async function notes() {
    const db = await openDatabase();
    await addPublisher(db);
    const stores = createStores(db);
    await submitRow(stores);
    let now = Date.parse('2026-03-01T12:00:00.000Z');
    const state = { fails: false };
    const real = createUnitOfWork(db);
    const unitOfWork: typeof real = (work) => (state.fails ? Promise.reject(new Error('away')) : real(work));
    const clock = () => new Date(now);
    const installMac = macWith(randomBytes(32));
    const taken = createDownloadRecorder({ unitOfWork, clock, installMac });
    const note = (installId: string, address: string | null, more: Partial<RecordedDownload> = {}) =>
      taken.recordDownload({ ...VERSION, installId, address, ...more });
    const installs = async () => (await stores.appStats.of(VERSION.appId)).installs;
    const known = async () => (await db.selectFrom('installs').selectAll().execute()).length;
    return { ...taken, note, installs, known, state, tomorrow: () => (now += 24 * 3_600_000) };
  }

  const id = (n: number): string => `installation-${n}-of-many`;

  it('wait for a database that is away', async () => {
    const { note, writeInstalls, installs, state } = await notes();
    state.fails = true;
    note(id(1), '203.0.113.1');
    await expect(writeInstalls()).rejects.toThrow('away');
    note(id(2), '203.0.113.2');
    state.fails = false;
    await writeInstalls();
    expect(await installs()).toBe(2);
  });

  it('count 50 installations a day of one network, which may be a whole /48, and know the others', async () => {
    const { note, writeInstalls, installs, known, tomorrow } = await notes();
    const from = (subnet: number, n: number) => `2001:db8:1:${subnet.toString(16)}::${n.toString(16)}`;
    for (let n = 0; n < 60; n += 1) note(id(n), from(n, n));
    await writeInstalls();
    for (let n = 60; n < 90; n += 1) note(id(n), from(1, n));
    note(id(1_000), '2001:db8:2::1');
    await writeInstalls();
    expect([await installs(), await known()]).toEqual([51, 91]);
    tomorrow();
    note(id(59), from(1, 1));
    note(id(100), from(1, 1));
    await writeInstalls();
    expect(await installs()).toBe(52);
  });

  it('know 1,000 installations a day of one network, over all apps', async () => {
    const { note, writeInstalls, known } = await notes();
    for (let n = 0; n < 1_100; n += 1) {
      note(id(n), '203.0.113.1');
      if (n % 150 === 149) await writeInstalls();
    }
    await writeInstalls();
    expect(await known()).toBe(1_000);
  });

  it('are bounded, for all and for a network', DEEP, async () => {
    const { note, writeInstalls, known } = await notes();
    for (let n = 0; n < 1_000; n += 1) note(id(n), '203.0.113.1');
    await writeInstalls();
    expect(await known()).toBe(200);
    const network = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
    for (let n = 0; n < 21_000; n += 1) note(id(n), network(n));
    await writeInstalls();
    expect(await known()).toBe(20_000);
  });
});
