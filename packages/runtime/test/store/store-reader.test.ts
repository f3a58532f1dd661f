import { describe, expect, it } from 'vitest';
import { storeFetch } from '../../src/store/store-fetch.ts';
import { createStoreReader } from '../../src/store/store-reader.ts';
import { APP, BUNDLE, startSigningStore } from '../support/signing-store.ts';
import { openReader } from '../support/store-reader.ts';
import { system } from '../support/world.ts';

const REF = { appId: APP, version: '1.0.0' };

describe('reading a store', () => {
  it('returns search results, one app, and its bundle with its release', async () => {
    const { store, reader } = await openReader();
    expect((await reader.search({ q: 'notes & more', limit: 5 })).apps[0]).toMatchObject({ appId: APP });
    expect(store.seen[0]?.url).toBe('/api/apps/catalog?q=notes+%26+more&limit=5');
    expect((await reader.detail(APP)).versions).toHaveLength(1);
    const { bytes, sha256, release } = await reader.download(REF);
    const published = store.state.published.get(`${APP}@1.0.0`);
    expect([bytes, release]).toEqual([published?.bytes, published?.release]);
    expect(sha256).toBe(release.sha256);
  });

  it('accepts its address with or without a slash at the end', async () => {
    const store = await startSigningStore();
    const deps = { system, fetch: storeFetch, installId: 'install-1' };
    expect(createStoreReader({ ...deps, store: `${store.url}/` }).store).toBe(store.url);
  });

  it.each([
    'http://store.example.com',
    'https://anna:secret@store.example.com',
    'https://store.example.com/?q=secret',
    'ftp://store.example.com',
    'nothing',
  ])('rejects the store address %s, and does not repeat it', (store) => {
    const open = () => createStoreReader({ system, fetch: storeFetch, store, installId: 'install-1' });
    expect(open).toThrow(TypeError);
    expect(open).not.toThrow(/secret/);
  });

  it('passes on an error of the store with its code, and a yanked version as yanked', async () => {
    const { store, reader } = await openReader();
    await expect(reader.detail('com.example.none')).rejects.toMatchObject({
      code: 'store-refused',
      detail: { status: 404, code: 'not_found', requestId: 'r-1' },
    });
    store.lie(BUNDLE, (response) => store.refuse(response, 410, 'yanked'));
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'yanked' });
  });

  it('reads pictures of its own versions alone, as it draws them', async () => {
    const asked: string[] = [];
    let type = 'image/png';
    const picture: typeof fetch = async (input) => {
      asked.push(String(input));
      return new Response('png', { headers: { 'content-type': type } });
    };
    const { reader, store } = await openReader({ fetch: picture });
    const icon = `/api/apps/${APP}/versions/1.0.0/files/assets/icon.svg`;
    expect(await reader.picture(store.url + icon)).toMatchObject({ type: 'image/png' });
    expect(asked).toEqual([`${store.url}${icon}?raster=`]);
    const none = { code: 'store-refused', detail: { code: 'not_found' } };
    const escaping = `${store.url}/api/apps/${APP}/versions/1.0.0/files/%2e%2e/%2e%2e/%2e%2e/%2e%2e/admin`;
    for (const url of [`https://other.example${icon}`, `${store.url}/api/apps/catalog`, escaping, 'x'])
      await expect(reader.picture(url)).rejects.toMatchObject(none);
    expect(asked.length).toBe(1);
    type = 'image/svg+xml';
    await expect(reader.picture(store.url + icon)).rejects.toMatchObject(none);
  });

  it('does not use an id for path traversal', async () => {
    const { store, reader } = await openReader();
    for (const appId of ['..', '.', '']) await expect(reader.detail(appId)).rejects.toThrow(TypeError);
    await expect(reader.detail('../../admin')).rejects.toMatchObject({ code: 'store-refused' });
    expect(store.seen.map(({ url }) => url)).toEqual(['/api/apps/..%2F..%2Fadmin']);
  });

  it('returns the only key of a store that has no list of keys', async () => {
    const { store, reader } = await openReader();
    const { keyId, publicKeyPem } = store.state.key;
    store.lie('/api/apps/public-keys', (response) => store.refuse(response, 404, 'not_found'));
    store.lie('/api/apps/public-key', (response) => store.answer(response, 200, { keyId, publicKeyPem }));
    expect(await reader.keys()).toEqual([{ keyId, publicKeyPem }]);
  });
});

describe('a store that lies', () => {
  it.each([
    ['invalid JSON', '<html>'],
    ['JSON that does not match the API', '{"appId":"com.example.notes"}'],
  ])('is unreachable when it answers with %s', async (_name, text) => {
    const { store, reader } = await openReader();
    store.lie(`/api/apps/${APP}`, (response) => response.end(text));
    await expect(reader.detail(APP)).rejects.toMatchObject({ code: 'store-unreachable' });
  });

  it('is unreachable when it returns another app (wrong target)', async () => {
    const { store, reader } = await openReader();
    const other = await (await fetch(`${store.url}/api/apps/${APP}`)).json();
    store.lie('/api/apps/com.example.bank', (response) => store.answer(response, 200, other));
    await expect(reader.detail('com.example.bank')).rejects.toMatchObject({ code: 'store-unreachable' });
  });

  it('is unreachable when it sends no signature', async () => {
    const { store, reader } = await openReader();
    store.lie(BUNDLE, (response) => response.writeHead(200, { 'X-Svc-Sha256': 'A'.repeat(64) }).end('zip'));
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'store-unreachable' });
  });
});

describe('a listing of a store of another version', () => {
  /** A store whose listings are changed on the way. */
  async function changed(change: (value: Record<string, unknown>) => unknown) {
    const lying: typeof fetch = async (input, init) => {
      const response = await storeFetch(input, init);
      if (!response.headers.get('content-type')?.includes('json') || !response.ok) return response;
      return Response.json(change((await response.json()) as Record<string, unknown>));
    };
    return openReader({ fetch: lying });
  }

  it.each([
    'homepage',
    'support',
    'rating',
    'tagline',
    'publisher',
    'iconUrl',
    'markUrl',
    'publishedAt',
    'categories',
    'installs',
    'size',
    'readme',
    'versions',
    'tools',
    'accounts',
    'permissions',
  ])('is read without %s, or with null there', async (field) => {
    for (const value of [undefined, null]) {
      const { reader } = await changed((listing) => ({ ...listing, [field]: value }));
      expect(await reader.detail(APP)).toMatchObject({ appId: APP, version: '1.0.0' });
    }
  });

  it.each(['appId', 'version'])('without %s is refused with the name of the field', async (field) => {
    const { reader } = await changed((listing) => ({ ...listing, [field]: undefined }));
    await expect(reader.detail(APP)).rejects.toMatchObject({
      code: 'store-unreachable',
      message: expect.stringContaining(`${field} is missing or malformed`),
    });
  });

  it('loses only the app that is useless, and says what is missing from a page without apps', async () => {
    const { reader } = await changed(({ apps, ...page }) => ({
      ...page,
      apps: [...(apps as []), { name: 'x' }],
    }));
    expect((await reader.search({})).apps.map(({ appId }) => appId)).toEqual([APP]);
    const empty = await changed(() => ({ total: 0 }));
    await expect(empty.reader.search({})).rejects.toThrow('apps is missing or malformed');
  });

  it('is never lenient with what is signed', async () => {
    const { reader } = await changed((list) => ({ ...list, signedAt: null, keys: [{ keyId: 'x' }] }));
    await expect(reader.revocations()).rejects.toThrow('signedAt is missing or malformed');
    await expect(reader.keys()).rejects.toThrow(/keys.0.* is missing or malformed/);
  });
});
