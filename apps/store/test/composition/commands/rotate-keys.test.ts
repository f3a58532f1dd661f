import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PublicKey, PublicKeys, RevocationList } from '@svc/contracts';
import { keyRing, verifyBundle, verifyKeyChain, verifyRevocationList } from '@svc/signing';
import { sampleManifest } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rotateKeys } from '../../../src/composition/commands/rotate-keys.ts';
import { SettingError } from '../../../src/composition/settings.ts';
import { tamper } from '../../support/database.ts';
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
