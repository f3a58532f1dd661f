import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RevocationEntry } from '@svc/contracts';
import { generateSigningKeyPem, readSigningKey, type SigningKey, signRevocations } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const APP = 'com.example.notes';
const AT = '2026-03-01T12:30:00.000Z';
const LATER = '2026-03-01T13:00:00.000Z';

const entry = (appId: string, version = '1.0.0'): RevocationEntry => ({
  appId,
  version,
  reason: 'It lost notes.',
  at: AT,
});

/** A store with one published version and no yank, and the file of its revocation list in the bundle storage. */
async function published() {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token, { version: '1.0.0' });
  await store.decide('approve', '1.0.0');
  const file = join(store.folder, 'blobs', 'revocations');
  const key = readSigningKey(await readFile(join(store.folder, 'keys', 'signing-key.pem'), 'utf8'));
  const list = () => bodyOf(store.call('GET', '/api/apps/revocations'));
  return { store, token, file, key, list };
}

/**
 * Restarts the store with another list in the bundle storage.
 * @param signedAt by default later than the list in the database
 * @param by the key that signs it, by default the key of the store
 */
async function startedBeside(
  entries: readonly RevocationEntry[],
  { signedAt = LATER, by }: { signedAt?: string; by?: SigningKey } = {},
) {
  const { store, file, key } = await published();
  await store.close();
  await writeFile(file, JSON.stringify(signRevocations(entries, signedAt, by ?? key)));
  const again = await openTestStore({ folder: store.folder });
  const get = (path: string) => bodyOf(again.call('GET', path));
  const undo = () =>
    again.admin('POST', `/api/admin/apps/${APP}/versions/1.0.0/unyank`, { reason: 'It was another app.' });
  const bundle = async () => (await again.call('GET', `/api/apps/${APP}/versions/1.0.0/bundle`)).status;
  const reportsRollback = () =>
    again.lines.some((line) => JSON.stringify(line).includes('it was rolled back'));
  const audited = async () =>
    (await bodyOf(again.admin('GET', '/api/admin/audit?action=version.yank'))).entries;
  return { get, undo, bundle, reportsRollback, audited, list: () => get('/api/apps/revocations') };
}

describe('the copy of the revocation list in the bundle storage', () => {
  it('is the list that was served last', async () => {
    const { store, token, file, list } = await published();
    const kept = async () => JSON.parse(await readFile(file, 'utf8'));
    const { httpStatus, ...first } = await list();
    expect(await kept()).toEqual(first);
    await store.call('POST', `/api/apps/${APP}/versions/1.0.0/yank`, {
      token,
      json: { reason: 'It lost notes.' },
    });
    const { httpStatus: _, ...second } = await list();
    expect(await kept()).toEqual(second);
    expect(second.entries).toHaveLength(1);
    await store.close();
    const again = await openTestStore({ folder: store.folder });
    expect(again.lines.join()).not.toContain('it was rolled back');
  });

  it('keeps yanks on the list after a rollback of the database', async () => {
    const { list, bundle, get, reportsRollback, audited } = await startedBeside([
      entry(APP),
      entry('com.example.unknown', '2.0.0'),
    ]);
    const { entries, signedAt } = await list();
    expect(entries).toEqual([entry(APP), entry('com.example.unknown', '2.0.0')]);
    expect(signedAt >= LATER).toBe(true);
    expect(await bundle()).toBe(410);
    expect(await get('/api/apps/catalog')).toMatchObject({ apps: [] });
    expect(reportsRollback()).toBe(true);
    expect(await audited()).toMatchObject([
      { appId: APP, publisher: 'example', actor: 'store', detail: { reason: entry(APP).reason } },
    ]);
  });

  it('allows an administrator to undo a restored yank, and keeps the other yanks', async () => {
    const { undo, list, bundle } = await startedBeside([entry(APP), entry('com.example.unknown')]);
    expect((await undo()).status).toBe(200);
    expect((await list()).entries).toEqual([entry('com.example.unknown')]);
    expect(await bundle()).toBe(200);
  });

  it('is compared with no list of the database that the key of the store did not sign', async () => {
    const { store, file, key } = await published();
    const stored = await store.stores.revocations.lastText();
    const forged = { signedAt: '2026-03-02T00:00:00.000Z', entries: [] };
    await store.stores.revocations.keep(JSON.stringify({ ...JSON.parse(stored ?? ''), ...forged }), stored);
    await store.close();
    await writeFile(file, JSON.stringify(signRevocations([entry(APP)], LATER, key)));
    const again = await openTestStore({ folder: store.folder });
    expect((await again.call('GET', `/api/apps/${APP}/versions/1.0.0/bundle`)).status).toBe(410);
  });

  it('is compared by its yanks, also when the list of the database is newer', async () => {
    const { list, bundle, reportsRollback } = await startedBeside([entry(APP)], {
      signedAt: '2026-03-01T11:00:00.000Z',
    });
    expect((await list()).entries).toEqual([entry(APP)]);
    expect(await bundle()).toBe(410);
    expect(reportsRollback()).toBe(true);
  });

  it('reports a version that both lists have as yanked, and the database as published', async () => {
    const { store, file, key } = await published();
    const both = JSON.stringify(signRevocations([entry(APP)], LATER, key));
    await store.stores.revocations.keep(both, await store.stores.revocations.lastText());
    await store.close();
    await writeFile(file, both);
    const again = await openTestStore({ folder: store.folder });
    expect((await again.call('GET', `/api/apps/${APP}/versions/1.0.0/bundle`)).status).toBe(410);
    expect(JSON.stringify(again.lines)).toContain('it was rolled back');
  });

  it('changes nothing when it is signed by another key', async () => {
    const by = readSigningKey(generateSigningKeyPem());
    const { list: served, bundle, reportsRollback } = await startedBeside([entry(APP)], { by });
    expect((await served()).entries).toEqual([]);
    expect(await bundle()).toBe(200);
    expect(reportsRollback()).toBe(false);
  });
});
