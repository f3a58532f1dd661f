import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PublicKey, PublicKeys, RevocationList } from '@svc/contracts';
import { keyRing, verifyBundle, verifyKeyChain, verifyRevocationList } from '@svc/signing';
import { sampleManifest } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { declareKeyLost, rotateKeys } from '../../../src/composition/commands/rotate-keys.ts';
import { readSettings, SettingError } from '../../../src/composition/settings.ts';
import { filledStore, verifiedVersions } from '../../support/backup.ts';
import { databaseOf, tamper } from '../../support/database.ts';
import { bodyOf, jsonOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const keyFileOf = (store: TestStore) => join(store.folder, 'keys', 'signing-key.pem');
const later = () => new Date('2099-01-01T00:00:00.000Z');
const silent = { info: () => {}, warn: () => {}, error: () => {} };

const rotate = (store: TestStore) =>
  rotateKeys({ signingKeyFile: keyFileOf(store), dataDir: store.folder, databaseUrl: null }, later, silent);

const keyOf = (store: TestStore) => jsonOf<PublicKey>(store.call('GET', '/api/apps/public-key'));
const keysOf = (store: TestStore) => jsonOf<PublicKeys>(store.call('GET', '/api/apps/public-keys'));

async function download(store: TestStore, version: string) {
  const response = await store.call('GET', `/api/apps/com.example.notes/versions/${version}/bundle`);
  const header = (name: string) => response.headers.get(`x-svc-${name}`) ?? '';
  return {
    bytes: new Uint8Array(await response.arrayBuffer()),
    release: {
      appId: 'com.example.notes',
      version,
      sha256: header('sha256'),
      signature: header('signature'),
      keyId: header('key-id'),
      publishedAt: header('published-at'),
    },
  };
}

describe('svc-store keys rotate', () => {
  it('takes effect at the next start, and earlier signatures remain valid', async () => {
    const first = await openTestStore();
    const token = await first.publisherToken('example', true);
    await first.publish(token);
    await first.decide('approve', '1.0.0');
    const old = await keyOf(first);
    expect((await keysOf(first)).keys).toMatchObject([{ keyId: old.keyId }]);
    expect(await rotate(first)).toContain(`signed by ${old.keyId}`);
    expect(await keyOf(first)).toEqual(old);
    await first.close();

    const second = await openTestStore({ folder: first.folder });
    expect((await second.publish(token, { version: '1.1.0' })).status).toBe(201);
    const current = await keyOf(second);
    const chain = verifyKeyChain(old, (await keysOf(second)).keys);
    if (!chain.ok) throw new Error(chain.message);
    expect(chain.keys.map(({ keyId }) => keyId)).toEqual([old.keyId, current.keyId]);
    for (const [version, keyId] of [
      ['1.0.0', old.keyId],
      ['1.1.0', current.keyId],
    ] as const) {
      const { bytes, release } = await download(second, version);
      expect(release.keyId).toBe(keyId);
      const manifest = sampleManifest({ version });
      expect(verifyBundle(bytes, manifest, release, keyRing(chain.keys))).toMatchObject({ ok: true });
    }
  });

  it('signs the revocation list only with the new key', async () => {
    const first = await openTestStore();
    const old = await keyOf(first);
    const before = await jsonOf<RevocationList>(first.call('GET', '/api/apps/revocations'));
    await rotate(first);
    await first.close();
    const second = await openTestStore({ folder: first.folder });
    const after = await jsonOf<RevocationList>(second.call('GET', '/api/apps/revocations'));
    const ring = keyRing([await keyOf(second)]);
    expect(verifyRevocationList(after, ring)).toBe(true);
    expect(verifyRevocationList(after, keyRing([old]))).toBe(false);
    expect(verifyRevocationList(before, ring)).toBe(false);
  });

  it('is recorded in the audit log, also while the store is running', async () => {
    const store = await openTestStore();
    const old = await keyOf(store);
    const line = await rotate(store);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=key.rotate'));
    expect(entries).toMatchObject([
      {
        at: later().toISOString(),
        actor: 'operator',
        address: null,
        requestId: null,
        detail: { keyId: expect.stringMatching(/^ed25519-/), retiredKeyId: old.keyId },
      },
    ]);
    expect(line).toContain(`is now ${entries[0].detail.keyId}, signed by ${old.keyId}.`);
  });

  it('keeps the old key when the audit log cannot be written', async () => {
    const store = await openTestStore();
    const before = await keyOf(store);
    await store.close();
    const refuse = "begin select raise(abort, 'no room'); end";
    await tamper(store.folder, `create trigger in_the_way before insert on audit_log ${refuse}`);
    await expect(rotate(store)).rejects.toThrow('was not rotated: no room');
    const again = await openTestStore({ folder: store.folder });
    expect(await keyOf(again)).toEqual(before);
  });

  it('fails with a message, and creates no files, when there is no key', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-rotate-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const rotation = rotateKeys(
      { signingKeyFile: join(folder, 'none.pem'), dataDir: folder, databaseUrl: null },
      later,
      silent,
    );
    await expect(rotation).rejects.toThrow(SettingError);
    await expect(rotation).rejects.toThrow('was not rotated');
    expect(await readdir(folder)).toEqual([]);
  });
});

const log = { info: () => {}, warn: () => {}, error: () => {} };
const clock = () => new Date('2099-01-01T00:00:00.000Z');
const lostKeyFileOf = ({ folder }: TestStore) => join(folder, 'keys', 'signing-key.pem');

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
    await rm(lostKeyFileOf(store));
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
    await rm(lostKeyFileOf(store));
    const { keyId } = await declare(store, newest);
    expect((await openTestStore({ folder: store.folder })).keyId).toBe(keyId);
  });

  it('starts with the new key after its file was missing', async () => {
    const { store } = await filledStore(['1.0.0']);
    await store.close();
    const aside = join(store.folder, 'made.pem');
    await rm(lostKeyFileOf(store));
    const { keyId } = await declare(store, store.keyId);
    await rename(lostKeyFileOf(store), aside);
    await expect(openTestStore({ folder: store.folder })).rejects.toThrow('declare-lost');
    await rename(aside, lostKeyFileOf(store));
    expect((await openTestStore({ folder: store.folder })).keyId).toBe(keyId);
  });

  it('is necessary, as a foreign key cannot be rotated', async () => {
    const { store } = await filledStore(['1.0.0']);
    await store.close();
    const other = await filledStore(['1.0.0']);
    await other.store.close();
    await rename(lostKeyFileOf(other.store), lostKeyFileOf(store));
    await expect(rotateKeys(await settingsOf(store), clock, log)).rejects.toThrow(
      'which is not a key of this store',
    );
  });
});
