import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PublicKeys } from '@svc/contracts';
import { generateSigningKeyPem } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { SettingError } from '../../src/composition/settings.ts';
import { tamper } from '../support/database.ts';
import { jsonOf, openTestStore, type TestStore } from '../support/test-store.ts';

const keyFileOf = (store: TestStore) => join(store.folder, 'keys', 'signing-key.pem');
const keysOf = async (store: TestStore) =>
  (await jsonOf<PublicKeys>(store.call('GET', '/api/apps/public-keys'))).keys;

async function published(): Promise<TestStore> {
  const store = await openTestStore();
  await store.publish(await store.publisherToken('example', true));
  await store.decide('approve', '1.0.0');
  await store.close();
  return store;
}

const open = ({ folder }: TestStore) => openTestStore({ folder });

describe('a store and its signing key', () => {
  it('does not start without its key, creates no other, and starts once the key is restored', async () => {
    const store = await published();
    const aside = join(store.folder, 'aside.pem');
    await rename(keyFileOf(store), aside);
    const start = open(store);
    await expect(start).rejects.toThrow(SettingError);
    await expect(start).rejects.toThrow(/is not in .*signing-key\.pem.*Mount.*declare-lost ed25519-/);
    expect(await readdir(dirname(keyFileOf(store)))).toEqual(['signing-key.pem.store']);
    await rename(aside, keyFileOf(store));
    expect(await keysOf(await open(store))).toHaveLength(1);
  });

  it('gives a copy of its key the chain of the database, whatever the time of the file', async () => {
    const store = await published();
    const file = keyFileOf(store);
    const [known] = await keysOf(await open(store));
    await utimes(file, new Date(), new Date('2030-01-01'));
    expect(await keysOf(await open(store))).toEqual([known]);
    expect(JSON.parse(await readFile(`${file}.chain.json`, 'utf8'))).toEqual({ keys: [known] });
  });

  it('does not start with another key', async () => {
    const store = await published();
    await writeFile(keyFileOf(store), generateSigningKeyPem());
    await expect(open(store)).rejects.toThrow(/which is not a key of this store/);
  });

  it('does not start a new store with the key of another, unless its .store file is removed', async () => {
    const store = await published();
    const other = await openTestStore();
    await other.close();
    const keys = dirname(keyFileOf(store));
    const environment = { SVC_SIGNING_KEY_FILE: keyFileOf(other) };
    await rm(keys, { recursive: true });
    await tamper(store.folder, 'delete from key_chain');
    await tamper(store.folder, 'update versions set key_id = null, signature = null');
    await expect(openTestStore({ folder: store.folder, environment })).rejects.toThrow(
      /belongs to a store with another database.*remove .*\.store first/,
    );
    await rm(`${keyFileOf(other)}.store`);
    expect((await openTestStore({ folder: store.folder, environment })).keyId).toBe(other.keyId);
  });

  it('finds the keys of a database without a key chain by the signed versions', async () => {
    const store = await published();
    await tamper(store.folder, 'delete from key_chain');
    const pem = await readFile(keyFileOf(store));
    await rm(keyFileOf(store));
    await expect(open(store)).rejects.toThrow(/Versions of this store are signed with/);
    await writeFile(keyFileOf(store), generateSigningKeyPem());
    await expect(open(store)).rejects.toThrow(/Versions of this store are signed with/);
    await writeFile(keyFileOf(store), pem);
    expect(await keysOf(await open(store))).toHaveLength(1);
  });

  it.each([
    ['an empty key', '', 'is empty'],
    ['a file that is not a key', 'garbage\n', 'is not such a key'],
    ['half a key', '-----BEGIN PRIVATE KEY-----\nMC4CAQ', 'is not such a key'],
  ])('reports %s', async (_name, text, why) => {
    const store = await published();
    await writeFile(keyFileOf(store), text);
    const start = open(store);
    await expect(start).rejects.toThrow(`signing-key.pem holds no signing key`);
    await expect(start).rejects.toThrow(why);
  });

  it('reports a key that cannot be read with the name of its file', async () => {
    const store = await published();
    const file = keyFileOf(store);
    await rm(file);
    await mkdir(file);
    await expect(open(store)).rejects.toThrow(`${file} cannot be read: EISDIR`);
  });
});
