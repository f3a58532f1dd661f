import { BOTH_DATABASES, sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore, type TestStore, twinOf } from '../../../support/test-store.ts';

const MIB = 1024 * 1024;
const TEN_MINUTES_MS = 600_000;

const usedOf = async (store: TestStore, slug = 'example') =>
  (await bodyOf(store.admin('GET', `/api/admin/publishers?slug=${slug}`))).publishers[0].storage;

/** Fills the storage of a publisher, so that so many bytes are left. @param room negative for more than it may store */
async function leaveRoom(store: TestStore, room: number, mib = 1): Promise<void> {
  await store.admin('PATCH', '/api/admin/publishers/example', { storageMiB: mib });
  const { usedBytes } = await usedOf(store);
  await store.stores.db
    .updateTable('versions')
    .set(({ eb }) => ({ stored_bytes: eb('stored_bytes', '+', mib * MIB - room - usedBytes) }))
    .where('app_id', '=', 'com.example.notes')
    .where('version', '=', '1.0.0')
    .execute();
}

/** A store with a version of a publisher. */
async function opened() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  await store.publish(token);
  return { store, token, bytes: (await usedOf(store)).usedBytes as number };
}

describe('the storage of a publisher', () => {
  it('counts the bundle and the pictures of each version, in any state', async () => {
    const { store, token, bytes } = await opened();
    expect(bytes).toBeGreaterThan(sampleBundle().byteLength);
    await store.decide('reject', '1.0.0', { note: 'No.' });
    expect(await usedOf(store)).toEqual({ usedBytes: bytes, limitBytes: 10_240 * MIB, isOwn: false });
    await store.publish(token, { version: '1.1.0' });
    await store.decide('approve', '1.1.0');
    await store.call('POST', '/api/apps/com.example.notes/versions/1.1.0/yank', {
      token,
      json: { reason: 'x' },
    });
    expect((await usedOf(store)).usedBytes).toBeGreaterThan(1.9 * bytes);
  });

  it('is shown to its members', async () => {
    const { store, bytes } = await opened();
    const session = await store.signedIn('anna', { membership: { example: 'member' } });
    await store.admin('PATCH', '/api/admin/publishers/example', { storageMiB: 3 });
    expect(await bodyOf(store.call('GET', '/api/publishers/example', { session }))).toMatchObject({
      storage: { usedBytes: bytes, limitBytes: 3 * MIB, isOwn: true },
    });
  });

  it('refuses an upload that needs more, by any caller, and takes it when there is room', async () => {
    const { store, token, bytes } = await opened();
    await leaveRoom(store, bytes / 2);
    const next = { version: '1.1.0' };
    const refused = await bodyOf(store.publish(token, next));
    expect(refused).toMatchObject({ httpStatus: 409, code: 'storage_full' });
    expect(refused.message).toMatch(
      /^example stores .+ of 1 MiB, and this needs .+: delete apps that no user installed, or ask an administrator/,
    );
    expect(await bodyOf(store.publish('automation-0123456789', next))).toMatchObject({
      code: 'storage_full',
    });
    expect(await store.stores.versions.find({ appId: 'com.example.notes', version: '1.1.0' })).toBeNull();
    await leaveRoom(store, 2 * bytes);
    expect((await store.publish(token, next)).status).toBe(201);
  });

  it('is not exceeded by concurrent uploads to two processes', BOTH_DATABASES, async () => {
    const { store, token, bytes } = await opened();
    const other = await twinOf(store);
    await leaveRoom(store, 2.5 * bytes);
    const uploads = Array.from({ length: 6 }, (_, n) =>
      bodyOf((n % 2 ? store : other).publish(token, { id: `com.example.app${n}` })),
    );
    const codes = (await Promise.all(uploads)).map(({ code = 'taken' }) => code);
    expect(codes.toSorted()).toEqual([...Array(4).fill('storage_full'), 'taken', 'taken']);
    const { usedBytes, limitBytes } = await usedOf(store);
    expect(usedBytes).toBeLessThanOrEqual(limitBytes);
  });

  it('is freed by the deletion of an app, and needed by an app that another publisher gives', async () => {
    const { store, token, bytes } = await opened();
    const carl = await store.signedIn('carl', { membership: { example: 'owner' } });
    await store.publisherToken('other');
    const anna = await store.signedIn('anna', { membership: { other: 'owner' } });
    await store.decide('approve', '1.0.0');
    const own = '/api/publishers/example/apps/com.example.notes';
    const offer = await store.call('PUT', `${own}/offer`, { session: carl, json: { to: 'other' } });
    expect(offer.status).toBe(200);
    const accept = () =>
      bodyOf(
        store.call('POST', '/api/publishers/other/offers/com.example.notes', {
          session: anna,
          json: { accept: true },
        }),
      );
    await store.admin('PATCH', '/api/admin/publishers/other', { storageMiB: 0 });
    expect(await accept()).toMatchObject({ code: 'storage_full' });
    await store.admin('PATCH', '/api/admin/publishers/other', { storageMiB: null });
    await store.publish(token, { id: 'com.example.more' });
    await store.decide('reject', '1.0.0', { note: 'No.' }, 'com.example.more');
    expect((await usedOf(store)).usedBytes).toBeGreaterThan(1.9 * bytes);
    await store.call('DELETE', '/api/publishers/example/apps/com.example.more', { session: carl });
    expect((await usedOf(store)).usedBytes).toBe(bytes);
    expect((await accept()).httpStatus).toBe(200);
    expect([await usedOf(store), await usedOf(store, 'other')]).toMatchObject([
      { usedBytes: 0 },
      { usedBytes: bytes },
    ]);
  });

  it(
    'is not exceeded by two apps that are accepted at the same time in two processes',
    BOTH_DATABASES,
    async () => {
      const { store, token, bytes } = await opened();
      const two = await twinOf(store);
      const carl = await store.signedIn('carl', { membership: { example: 'owner' } });
      await store.publisherToken('other');
      const anna = await store.signedIn('anna', { membership: { other: 'owner' } });
      const apps = ['com.example.notes', 'com.example.more'];
      await store.publish(token, { id: 'com.example.more' });
      for (const id of apps) {
        await store.decide('approve', '1.0.0', undefined, id);
        const path = `/api/publishers/example/apps/${id}/offer`;
        expect((await store.call('PUT', path, { session: carl, json: { to: 'other' } })).status).toBe(200);
      }
      // Room for one of them.
      await store.admin('PATCH', '/api/admin/publishers/other', { storageMiB: 1 });
      await store.stores.db
        .updateTable('versions')
        .set({ stored_bytes: MIB - Math.floor(bytes / 2) })
        .execute();
      const answers = await Promise.all(
        apps.map((id, n) =>
          bodyOf(
            (n === 0 ? store : two).call('POST', `/api/publishers/other/offers/${id}`, {
              session: anna,
              json: { accept: true },
            }),
          ),
        ),
      );
      expect(answers.map(({ code = 'taken' }) => code).toSorted()).toEqual(['storage_full', 'taken']);
      const { usedBytes, limitBytes } = await usedOf(store, 'other');
      expect(usedBytes).toBeLessThanOrEqual(limitBytes);
    },
  );

  it('has a limit that a tool sets again and again, and that ends with null', async () => {
    const { store } = await opened();
    const put = (json: object) =>
      bodyOf(store.admin('PUT', '/api/admin/publishers/example', { name: 'Example', ...json }));
    const written = async () =>
      (await bodyOf(store.admin('GET', '/api/admin/audit?action=publisher.change'))).entries.map(
        ({ detail }: { detail: object }) => detail,
      );
    for (let n = 0; n < 2; n += 1) expect(await put({ storageMiB: 2 })).toMatchObject({ httpStatus: 200 });
    expect(await usedOf(store)).toMatchObject({ limitBytes: 2 * MIB, isOwn: true });
    await put({});
    expect(await usedOf(store)).toMatchObject({ isOwn: true });
    for (let n = 0; n < 2; n += 1) await put({ storageMiB: null });
    expect(await usedOf(store)).toMatchObject({ limitBytes: 10_240 * MIB, isOwn: false });
    expect(await written()).toEqual([{ storageMiB: 'default' }, { storageMiB: 2 }]);
    for (const storageMiB of [-1, 0.5, '2', 2 ** 31])
      expect(await put({ storageMiB })).toMatchObject({ code: 'invalid_request' });
  });

  it('is a metric of those that are nearly full, the fullest first', BOTH_DATABASES, async () => {
    const { store } = await opened();
    const ratios = async () =>
      (await (await store.admin('GET', '/metrics')).text()).match(/^svc_publisher_storage_ratio\{.*$/gm) ??
      [];
    expect(await ratios()).toEqual([]);
    store.advance(TEN_MINUTES_MS);
    await leaveRoom(store, MIB / 8);
    await store.publisherToken('empty');
    expect(await ratios()).toEqual(['svc_publisher_storage_ratio{part="example"} 0.875']);
    await store.admin('PATCH', '/api/admin/publishers/example', { storageMiB: 0 });
    store.advance(TEN_MINUTES_MS);
    expect(await ratios()).toEqual([]);
  });
});
