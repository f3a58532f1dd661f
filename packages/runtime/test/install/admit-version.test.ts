import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { keyRing } from '@svc/signing';
import { interopFolder, readInterop } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { openBundle } from '../../src/install/admit-version.ts';
import { APP, newKey, type SigningStore, signApp, startSigningStore } from '../support/signing-store.ts';
import { openWorld } from '../support/world.ts';

const WIDER = {
  version: '1.1.0',
  remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['api.example.com', 'more.example.com'] },
};

/** A store with one app, and a client. */
async function started() {
  const store = await startSigningStore();
  const published = store.publish();
  return { store, published, ...(await openWorld(store)) };
}

describe('a store that lies about versions', () => {
  it('is refused when it offers an older version than is installed (rollback)', async () => {
    const { store, install, installer } = await started();
    store.publish(WIDER);
    await install();
    await expect(installer.prepareInstall(APP, '1.0.0')).rejects.toMatchObject({ code: 'rolled-back' });
  });

  it('is refused when its latest version is older than one it offered before, even for an app that was removed', async () => {
    const { store, install, installer, library } = await started();
    for (const version of ['1.9.0', '1.10.0']) {
      store.publish({ version });
      await install();
    }
    library.remove(APP);
    store.state.published.delete(`${APP}@1.10.0`);
    store.state.headAt = (store.state.headAt ?? 0) + 1;
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'rolled-back' });
    // The user may still request exactly that version.
    expect((await install(APP, '1.0.0')).version).toBe('1.0.0');
  });

  it('is refused when another version was installed while the sheet was shown (rollback by waiting)', async () => {
    const { store, install, installer } = await started();
    const old = await installer.prepareInstall(APP, '1.0.0');
    store.publish(WIDER);
    await install();
    const answer = { accepted: true as const, binding: old.binding };
    await expect(installer.install(old, answer)).rejects.toMatchObject({ code: 'rolled-back' });
  });

  it.each(['1.0.0', '1.0.0+rebuilt'])(
    'is refused when it signs other bytes for an installed version, named %s',
    async (version) => {
      const { store, installer, install, library } = await started();
      await install();
      library.remove(APP);
      store.publish({ version }, { 'README.md': '# Other\n' });
      await expect(installer.prepareInstall(APP, version)).rejects.toMatchObject({ code: 'not-verified' });
    },
  );

  it('cannot take over an app of another store, even with valid signatures', async () => {
    const { folder, install } = await started();
    await install();
    const thief = await startSigningStore();
    thief.publish(WIDER);
    const other = await openWorld(thief, { folder });
    await expect(other.installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'id-taken' });
  });
});

const refused = (code: string, detail?: object) => ({
  code,
  ...(detail && { detail: expect.objectContaining(detail) }),
});

describe('a store that lies about a bundle', () => {
  const prepared = async (lie: (store: SigningStore) => void) => {
    const { store, installer } = await started();
    lie(store);
    return installer.prepareInstall(APP, '1.0.0');
  };

  it('is refused when it serves other bytes than it signed (arbitrary installation)', async () => {
    const lie = prepared((store) => {
      const { bytes } = signApp(newKey(), WIDER);
      const { release, manifest } = store.publish();
      store.serve({ release, manifest, bytes });
    });
    await expect(lie).rejects.toMatchObject({ code: 'not-verified' });
  });

  it('leaves no unverified bundle behind, and does not remove the bundle of an installed app', async () => {
    const { store, install, installer, library, folder, published } = await started();
    const bundles = () => readdir(path.join(folder, 'bundles'));
    const { release } = published;
    const unsigned = {
      ...published,
      release: { ...release, signature: signApp(newKey()).release.signature },
    };
    store.serve(unsigned);
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'not-verified' });
    expect(await bundles()).toEqual([]);
    store.serve(published);
    await install();
    store.serve(unsigned);
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'not-verified' });
    expect(await bundles()).toEqual([`${release.sha256}.svc-app`]);
    expect((await library.files(APP)).size).toBeGreaterThan(1);
  });

  it('is refused when it signs with a key that does not follow from the trusted one (key swap)', async () => {
    const { store, install, installer } = await started();
    await install();
    store.state.key = newKey();
    const { keyId, publicKeyPem } = store.state.key;
    store.state.chain = [{ keyId, publicKeyPem, createdAt: '2026-02-01T00:00:00.000Z' }];
    store.publish({ version: '1.1.0' });
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'not-verified' });
  });

  it('is refused when the signature is by another key under the id of the trusted key', async () => {
    const lie = prepared((store) => {
      const { release, ...rest } = signApp(newKey());
      store.serve({ ...rest, release: { ...release, keyId: store.state.key.keyId } });
    });
    await expect(lie).rejects.toMatchObject(refused('not-verified', { refusal: 'bad-signature' }));
  });

  it('is refused when it sends the signature of one version with the bundle of another (mix and match)', async () => {
    const lie = prepared((store) => {
      const one = store.publish();
      const two = store.publish(WIDER);
      store.serve({ ...one, release: { ...one.release, signature: two.release.signature } });
    });
    await expect(lie).rejects.toMatchObject(refused('not-verified', { refusal: 'bad-signature' }));
  });

  it('is refused when it sends another time of publication than it signed', async () => {
    const lie = prepared((store) => {
      const one = store.publish();
      store.serve({ ...one, release: { ...one.release, publishedAt: '2026-01-02T00:00:00.000Z' } });
    });
    await expect(lie).rejects.toMatchObject(refused('not-verified', { refusal: 'bad-signature' }));
  });

  it('is refused when it serves another app, or another version, than was requested (wrong target)', async () => {
    const { store, installer } = await started();
    const at = { appId: APP, version: '1.0.0' };
    store.serve(signApp(store.state.key, { id: 'com.example.other' }), at);
    await expect(installer.prepareInstall(APP, '1.0.0')).rejects.toMatchObject(
      refused('not-verified', { refusal: 'wrong-app' }),
    );
    store.serve(signApp(store.state.key, WIDER), at);
    await expect(installer.prepareInstall(APP, '1.0.0')).rejects.toMatchObject(
      refused('not-verified', { refusal: 'wrong-version' }),
    );
  });

  it('is refused when it signs a manifest with errors, and the error has the findings', async () => {
    const { store, installer } = await started();
    store.publish({ version: '1.2.0', permissions: [] });
    await expect(installer.prepareInstall(APP, '1.2.0')).rejects.toMatchObject(
      refused('invalid-app', { issues: [expect.objectContaining({ code: 'permissions.empty' })] }),
    );
  });

  it.each([
    ['{ "id": 5, "contributes": null }', 'manifest.api-version'],
    ['{ "id": 5', 'bundle.manifest.json'],
  ])('is refused when it signs the invalid manifest %s', async (text, code) => {
    const { store, installer } = await started();
    store.publish({ version: '1.2.0' }, { 'plugin.json': text });
    await expect(installer.prepareInstall(APP, '1.2.0')).rejects.toMatchObject(
      refused('invalid-app', { issues: expect.arrayContaining([expect.objectContaining({ code })]) }),
    );
  });

  it('is refused when it signs a bundle that contains a program', async () => {
    const { store, installer } = await started();
    store.publish({ version: '1.2.0' }, { 'assets/run.sh': 'rm -r ~\n' });
    await expect(installer.prepareInstall(APP, '1.2.0')).rejects.toMatchObject(
      refused('invalid-app', { issues: [expect.objectContaining({ code: 'bundle.executable' })] }),
    );
  });

  it('is refused when it sends a bundle that is not a zip archive', async () => {
    const lie = prepared((store) => {
      store.serve({ ...store.publish(), bytes: Buffer.from('PK, but not really') });
    });
    await expect(lie).rejects.toMatchObject(
      refused('invalid-app', { issues: [expect.objectContaining({ code: 'invalid_bundle' })] }),
    );
  });
});

it('a client does other work while a bundle is verified', async () => {
  const key = newKey();
  const app = signApp(key);
  let [turns, isVerified] = [0, false];
  const verifying = openBundle({ ...app, sha256: app.release.sha256 }, keyRing([key])).finally(() => {
    isVerified = true;
  });
  for (; !isVerified; turns += 1) await new Promise(setImmediate);
  await verifying;
  expect(turns).toBeGreaterThan(1);
});

describe('the interop vectors', () => {
  type Vector = {
    name: string;
    refusal?: string;
    pinned: string[];
    asked: { appId: string; version: string };
    bundle: string;
    headers: Record<string, string>;
  };
  const vectors = readInterop('signing') as Vector[];

  it('have the expected outcome, by the manifest in the zip archive', async () => {
    for (const { name, refusal, pinned, asked, bundle, headers } of vectors) {
      const bytes = readFileSync(new URL(bundle, interopFolder('signing')));
      const said = (header: string): string => headers[header] ?? '';
      const release = {
        ...{ ...asked, sha256: said('X-Svc-Sha256'), signature: said('X-Svc-Signature') },
        ...{ keyId: said('X-Svc-Key-Id'), publishedAt: said('X-Svc-Published-At') },
      };
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const keys = keyRing(pinned.map((publicKeyPem) => ({ publicKeyPem })));
      const opening = openBundle({ bytes, sha256, release }, keys);
      if (refusal) await expect(opening, name).rejects.toMatchObject(refused('not-verified', { refusal }));
      else expect((await opening).manifest, name).toMatchObject({ id: asked.appId, version: asked.version });
    }
  });
});
