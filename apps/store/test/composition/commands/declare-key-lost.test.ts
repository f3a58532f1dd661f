import { randomBytes, randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { declareKeyLost } from '../../../src/composition/commands/declare-key-lost.ts';
import { rotateKeys } from '../../../src/composition/commands/rotate-keys.ts';
import { readSettings } from '../../../src/composition/settings.ts';
import { filledStore, verifiedVersions } from '../../support/backup.ts';
import { databaseOf } from '../../support/database.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const clock = () => new Date('2099-01-01T00:00:00.000Z');
const keyFileOf = ({ folder }: TestStore) => join(folder, 'keys', 'signing-key.pem');

const settingsOf = async ({ folder }: TestStore) =>
  readSettings({ SVC_DATA_DIR: folder, ...(await databaseOf(folder)) });

const declare = async (store: TestStore, keyId: string) =>
  declareKeyLost(await settingsOf(store), keyId, {
    clock,
    log,
    newId: randomUUID,
    random: randomBytes,
    fetch,
  });

describe('svc-store keys declare-lost', () => {
  it('creates a new key, and signs all published versions with it', async () => {
    const { store } = await filledStore();
    await store.close();
    await rm(keyFileOf(store));
    const { keyId, versions } = await declare(store, store.keyId);
    expect(versions).toBe(2);
    const again = await openTestStore({ folder: store.folder });
    expect(again.keyId).toBe(keyId);
    expect(await verifiedVersions(again)).toEqual(['1.0.0', '1.1.0']);
    const { entries } = await bodyOf(again.admin('GET', '/api/admin/audit?action=key.lost'));
    expect(entries).toMatchObject([
      { actor: 'operator', detail: { keyId, lostKeyId: store.keyId, versions: 2 } },
    ]);
  });

  it('is refused while the key exists, and for a key that is not the current one', async () => {
    const { store } = await filledStore(['1.0.0']);
    await store.close();
    await expect(declare(store, store.keyId)).rejects.toThrow(/is in .*keys rotate/);
    await expect(declare(store, 'ed25519-0000000000000000')).rejects.toThrow(
      `this store signs with ${store.keyId}`,
    );
    expect((await openTestStore({ folder: store.folder })).keyId).toBe(store.keyId);
  });

  it('also replaces a lost key that was rotated before', async () => {
    const { store } = await filledStore(['1.0.0']);
    await store.close();
    await rotateKeys(await settingsOf(store), clock, log);
    const { keyId: newest } = await openTestStore({ folder: store.folder });
    await rm(keyFileOf(store));
    const { keyId } = await declare(store, newest);
    expect((await openTestStore({ folder: store.folder })).keyId).toBe(keyId);
  });

  it('starts with the new key after its file was missing', async () => {
    const { store } = await filledStore(['1.0.0']);
    await store.close();
    const aside = join(store.folder, 'made.pem');
    await rm(keyFileOf(store));
    const { keyId } = await declare(store, store.keyId);
    await rename(keyFileOf(store), aside);
    await expect(openTestStore({ folder: store.folder })).rejects.toThrow('declare-lost');
    await rename(aside, keyFileOf(store));
    expect((await openTestStore({ folder: store.folder })).keyId).toBe(keyId);
  });

  it('is necessary, as a foreign key cannot be rotated', async () => {
    const { store } = await filledStore(['1.0.0']);
    await store.close();
    const other = await filledStore(['1.0.0']);
    await other.store.close();
    await rename(keyFileOf(other.store), keyFileOf(store));
    await expect(rotateKeys(await settingsOf(store), clock, log)).rejects.toThrow(
      'which is not a key of this store',
    );
  });
});
