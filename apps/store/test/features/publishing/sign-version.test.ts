import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tamper } from '../../support/database.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

it('publishes an update without reasons for a review at once', async () => {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  const answer = await store.publish(token, { version: '1.1.0' });
  expect(await bodyOf(Promise.resolve(answer))).toMatchObject({ status: 'published', reasons: [] });
  const moves = (await bodyOf(store.admin('GET', '/api/moderation/apps/com.example.notes/versions/1.1.0')))
    .moves;
  expect(moves.map(({ from, to }: { from: string; to: string }) => `${from} ${to}`)).toEqual([
    'submitted checking',
    'checking approved',
    'approved published',
  ]);
});

it('keeps a version approved when signing fails, and signs it later', async () => {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  await tamper(store.folder, 'alter table listings rename column updated_at to updated_away');
  const answer = await bodyOf(Promise.resolve(await store.publish(token, { version: '1.1.0' })));
  await tamper(store.folder, 'alter table listings rename column updated_away to updated_at');
  expect(answer).toMatchObject({ httpStatus: 201, status: 'approved', reasons: [] });
  expect(store.lines.join('\n')).toContain('Signing failed; the version stays approved');
  await store.close();
  // The lease of a process that has ended.
  await tamper(store.folder, "update versions set lease_until = '2000-01-01T00:00:00.000Z'");
  const second = await openTestStore({ folder: store.folder });
  expect(await bodyOf(second.call('GET', '/api/apps/com.example.notes'))).toMatchObject({ version: '1.1.0' });
});

/** The file of the only bundle of a store, and its bytes. */
async function storedBundle({ folder, filesUnder }: TestStore): Promise<[string, Buffer]> {
  for (const name of await filesUnder('blobs')) {
    const file = join(folder, 'blobs', name.slice(0, 2), name);
    const bytes = await readFile(file);
    if (bytes.subarray(0, 2).toString() === 'PK') return [file, bytes];
  }
  throw new Error('There is no bundle.');
}

it('does not sign bytes that were replaced in the storage, and signs the version once they are back', async () => {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  const [file, own] = await storedBundle(store);
  await writeFile(file, Buffer.from(own).fill(0, 40, 41));
  const decided = await bodyOf(Promise.resolve(await store.decide('approve', '1.0.0')));
  expect(decided).toMatchObject({ status: 'approved' });
  expect(store.lines.join('\n')).toContain('has other bytes: restore it from a backup.');
  expect((await store.call('GET', '/api/apps/com.example.notes')).status).toBe(404);
  await writeFile(file, own);
  await store.close();
  await tamper(store.folder, "update versions set lease_until = '2000-01-01T00:00:00.000Z'");
  const second = await openTestStore({ folder: store.folder });
  expect(await bodyOf(second.call('GET', '/api/apps/com.example.notes'))).toMatchObject({ version: '1.0.0' });
});

it('serves no bytes that were replaced in the storage, whole or in part, until they are back', async () => {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  const path = '/api/apps/com.example.notes/versions/1.0.0/bundle';
  const headers = { range: 'bytes=0-9' };
  const [file, own] = await storedBundle(store);
  await writeFile(file, Buffer.from(own).fill(0, 40, 41));
  expect((await store.call('GET', path)).status).toBe(503);
  expect((await store.call('GET', path, { headers })).status).toBe(503);
  await writeFile(file, own);
  expect((await store.call('GET', path, { headers })).status).toBe(206);
  expect(Buffer.from(await (await store.call('GET', path)).arrayBuffer()).equals(own)).toBe(true);
});
