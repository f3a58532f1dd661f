import type { VersionOrigin } from '@svc/contracts';
import { type SigningKey, type StatedOrigin, signOrigin } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { consentCard } from '../../src/install/consent-preview.ts';
import { APP, newKey, type Published, signApp, startSigningStore } from '../support/signing-store.ts';
import { openWorld } from '../support/world.ts';

/** A store with a version that it carries of another store, and what it says of that. */
async function carrying() {
  const store = await startSigningStore();
  const there = newKey();
  const published = store.publish();
  const { publishedAt, signature, keyId } = signApp(there).release;
  const { publicKeyPem } = there;
  const origin = { store: 'http://localhost:4000', publisher: 'example', publishedAt, signature, keyId };
  const { appId, version, sha256 } = published.release;
  const carriedAt = '2026-01-01T00:10:00.000Z';
  const stated: StatedOrigin = {
    ...{ appId, version, sha256, carriedAt, carriedBy: 'Corp' },
    origin: { ...origin, publicKeyPem },
  };
  const say = (change: Partial<StatedOrigin> = {}, key: SigningKey = store.state.key): Published =>
    store.serve({ ...published, origin: signOrigin({ ...stated, ...change }, key) });
  const of = (change: Partial<VersionOrigin>) => ({ origin: { ...stated.origin, ...change } });
  return { store, there, say, of, published, stated, ...(await openWorld(store)) };
}

type Carrying = Awaited<ReturnType<typeof carrying>>;

const HOSTILE: [what: string, say: (world: Carrying) => unknown][] = [
  ['that another key signed', ({ say }) => say({}, newKey())],
  ['that the origin itself signed, and not the store', ({ say, there }) => say({}, there)],
  ['of another version', ({ say }) => say({ version: '9.0.0' })],
  ['of another app', ({ say }) => say({ appId: 'com.example.other' })],
  ['of other bytes', ({ say }) => say({ sha256: 'ab'.repeat(32) })],
  ['with another key of the origin', ({ say, of }) => say(of({ publicKeyPem: newKey().publicKeyPem }))],
  [
    'with a signature of the origin over another version',
    ({ say, of, there }) => say(of({ signature: signApp(there, { version: '9.0.0' }).release.signature })),
  ],
  [
    'with a signature of the store itself',
    ({ say, of, published }) => say(of({ signature: published.release.signature })),
  ],
  ['with a password in its address', ({ say, of }) => say(of({ store: 'https://me:pw@apps.example.org' }))],
  ['with an address that is no store', ({ say, of }) => say(of({ store: 'javascript:alert(1)' }))],
  [
    'with a signature of another app',
    ({ store, published, stated }) => {
      const origin = { ...signOrigin(stated, store.state.key), signature: published.release.signature };
      store.serve({ ...published, origin });
    },
  ],
];

describe('a version that its store carries', () => {
  it('names the store that it comes from, which both signed, and installs', async () => {
    const { say, installer, library } = await carrying();
    say();
    const sheet = await installer.prepareInstall(APP);
    const origin = { store: 'http://localhost:4000', carriedBy: 'Corp' };
    expect([sheet.origin, consentCard(sheet).origin]).toEqual([origin, origin]);
    await installer.install(sheet, { accepted: true, binding: sheet.binding });
    expect(library.get(APP)?.version).toBe('1.0.0');
  });

  it('has no origin where the store does not say so', async () => {
    const { installer } = await carrying();
    expect(await installer.prepareInstall(APP)).not.toHaveProperty('origin');
  });

  it.each(HOSTILE)('is refused with a statement %s', async (_what, say) => {
    const world = await carrying();
    say(world);
    await expect(world.installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'not-verified' });
    expect(world.library.list()).toEqual([]);
  });

  it('is refused with a header that is no statement', async () => {
    const { store, published, installer } = await carrying();
    const { sha256, signature, keyId, publishedAt } = published.release;
    const headers = { 'X-Svc-Sha256': sha256, 'X-Svc-Signature': signature, 'X-Svc-Key-Id': keyId };
    for (const text of ['', 'bm9uZQ', 'A'.repeat(9 * 1024)]) {
      const more = { 'X-Svc-Published-At': publishedAt, 'X-Svc-Origin': text };
      store.lie(`/api/apps/${APP}/versions/1.0.0/bundle`, (response) =>
        response.writeHead(200, { ...headers, ...more }).end(published.bytes),
      );
      await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'not-verified' });
    }
  });
});
