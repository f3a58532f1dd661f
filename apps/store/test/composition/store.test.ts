import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle } from '@svc/bundle';
import { type AppDetail, CatalogEntry, type CatalogPage, type PublicKey } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { canonicalJson, factsOf, keyRing, verifyBundle } from '@svc/signing';
import { hasProgram, sampleBundle, sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { bodyOf, jsonOf, openTestStore } from '../support/test-store.ts';

const APP = 'com.example.notes';

/** The bytes of a bundle, and its release from the headers. */
async function download(store: Awaited<ReturnType<typeof openTestStore>>, version: string) {
  const response = await store.call('GET', `/api/apps/${APP}/versions/${version}/bundle`);
  const header = (name: string) => response.headers.get(`x-svc-${name}`) ?? '';
  return {
    bytes: new Uint8Array(await response.arrayBuffer()),
    release: {
      appId: APP,
      version,
      sha256: header('sha256'),
      signature: header('signature'),
      keyId: header('key-id'),
      publishedAt: header('published-at'),
    },
  };
}

describe('an app', () => {
  it('is uploaded, reviewed and downloaded with a valid signature', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken('example', true);
    const published = await bodyOf(store.publish(token));
    expect(published).toMatchObject({
      httpStatus: 201,
      appId: APP,
      version: '1.0.0',
      status: 'in_review',
      reasons: ['first-version'],
      permissionDiff: { baseVersion: null, grantsAdded: ['files:receive'] },
      reviewUrl: `https://store.test/api/apps/${APP}/versions/1.0.0/status`,
    });
    expect(await bodyOf(store.call('GET', '/api/apps/catalog'))).toMatchObject({ apps: [], total: 0 });

    const queue = await bodyOf(store.admin('GET', '/api/moderation/queue'));
    expect(queue).toMatchObject({ total: 1, entries: [{ appId: APP, version: '1.0.0', superseded: false }] });
    expect(await bodyOf(store.decide('approve', '1.0.0', { note: 'Fine.' }))).toMatchObject({
      httpStatus: 200,
      status: 'published',
      notes: 'Fine.',
    });

    const page = await jsonOf<CatalogPage>(store.call('GET', '/api/apps/catalog'));
    expect(page).toMatchObject({
      total: 1,
      nextCursor: null,
      apps: [
        {
          appId: APP,
          tagline: 'Keeps short notes.',
          publisher: { slug: 'example', verified: true },
          domains: ['api.example.com', 'mcp.example.com'],
          iconUrl: `https://store.test/api/apps/${APP}/versions/1.0.0/files/assets/icon.png`,
        },
      ],
    });
    // Every key is present, also for values that the manifest and the publisher omit.
    expect(page.apps[0]?.publisher).toEqual({
      slug: 'example',
      name: 'The example',
      verified: true,
      verifiedHost: '',
      website: '',
    });
    // Apps of other stores alone have an origin.
    const { origin: _, ...always } = CatalogEntry.shape;
    expect(Object.keys(page.apps[0] ?? {}).sort()).toEqual(Object.keys(always).sort());
    const detail = await jsonOf<AppDetail>(store.call('GET', `/api/apps/${APP}`));
    expect(detail).toMatchObject({
      readme: '# Notes\n',
      versions: [{ version: '1.0.0', changelog: '## 1.0.0\n' }],
    });

    const key = await jsonOf<PublicKey>(store.call('GET', '/api/apps/public-key'));
    const { bytes, release } = await download(store, '1.0.0');
    expect(bytes).toEqual(new Uint8Array(sampleBundle()));
    expect(readBundle(bytes).ok).toBe(true);
    expect(verifyBundle(bytes, sampleManifest(), release, keyRing([key]))).toMatchObject({ ok: true });
    expect(detail.versions[0]).toMatchObject({
      signature: release.signature,
      sha256: release.sha256,
      keyId: key.keyId,
    });
  });

  it('is updated at once by a verified publisher without new permissions', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken('example', true);
    await store.publish(token);
    await store.decide('approve', '1.0.0');
    expect(await bodyOf(store.publish(token, { version: '1.1.0' }))).toMatchObject({
      httpStatus: 201,
      status: 'published',
      reasons: [],
      permissionDiff: { baseVersion: '1.0.0', widens: false },
    });
    const catalog = await bodyOf(store.call('GET', '/api/apps/catalog'));
    expect(catalog).toMatchObject({ apps: [{ version: '1.1.0' }] });
    const detail = await jsonOf<AppDetail>(store.call('GET', `/api/apps/${APP}`));
    expect(detail.versions.map(({ version }) => version)).toEqual(['1.1.0', '1.0.0']);
  });

  it('is reviewed for an update with new permissions by an unverified publisher', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken('example', false);
    await store.publish(token);
    await store.decide('approve', '1.0.0');
    const wider = {
      version: '1.1.0',
      remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['other.example.org'] },
    };
    expect(await bodyOf(store.publish(token, wider))).toMatchObject({
      status: 'in_review',
      reasons: ['permissions-widened', 'publisher-unverified'],
      permissionDiff: { domainsAdded: ['other.example.org'], domainsRemoved: ['api.example.com'] },
    });
  });

  it('has a permission diff against the published version, not a rejected one', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken('example', true);
    await store.publish(token);
    await store.decide('approve', '1.0.0');
    const wider = (version: string) => ({
      version,
      grants: ['files:receive', 'files:return'] as 'files:receive'[],
    });
    await store.publish(token, wider('1.1.0'));
    await store.decide('reject', '1.1.0', { note: 'Why return files?' });
    expect(await bodyOf(store.publish(token, wider('1.2.0')))).toMatchObject({
      status: 'in_review',
      permissionDiff: { baseVersion: '1.0.0', grantsAdded: ['files:return'] },
    });
  });

  it('has a signature that openssl verifies', async ({ skip }) => {
    skip(!hasProgram('openssl'), 'openssl is not on this machine');
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    await store.decide('approve', '1.0.0');
    const { release } = await download(store, '1.0.0');
    const key = await jsonOf<PublicKey>(store.call('GET', '/api/apps/public-key'));
    const at = (name: string, content: Uint8Array | string) => {
      writeFileSync(join(store.folder, name), content);
      return join(store.folder, name);
    };
    const facts = canonicalJson(factsOf(release, footprintOf(sampleManifest())));
    const answer = execFileSync('openssl', [
      ...['pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', at('public.pem', key.publicKeyPem)],
      ...['-in', at('facts', facts), '-sigfile', at('signature', Buffer.from(release.signature, 'base64'))],
    ]);
    expect(String(answer)).toContain('Verified Successfully');
  });

  it('is the same after a restart of the store', async () => {
    const first = await openTestStore();
    const token = await first.publisherToken();
    await first.publish(token);
    await first.decide('approve', '1.0.0');
    const before = await download(first, '1.0.0');
    await first.close();
    const second = await openTestStore({ folder: first.folder });
    expect(await download(second, '1.0.0')).toEqual(before);
    expect((await second.publish(token, { version: '1.0.1' })).status).toBe(201);
  });
});
