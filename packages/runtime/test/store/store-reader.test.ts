import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { storeFetch } from '../../src/store/store-fetch.ts';
import { createStoreReader } from '../../src/store/store-reader.ts';
import { APP, startSigningStore } from '../support/signing-store.ts';
import { system } from '../support/world.ts';

const BUNDLE = `/api/apps/${APP}/versions/1.0.0/bundle`;
const REF = { appId: APP, version: '1.0.0' };

type Given = Partial<Parameters<typeof createStoreReader>[0]>;

async function started(given: Given = {}) {
  const store = await startSigningStore();
  store.publish();
  const deps = { system, fetch: storeFetch, store: store.url, installId: 'install-1', ...given };
  return { store, reader: createStoreReader(deps) };
}

/** A system whose timers end at once. */
const impatient = { ...system, sleep: async () => undefined };

/** Sends until the connection is closed, and returns the number of bytes. */
function sendForEver(response: ServerResponse, status: number): Promise<number> {
  const block = Buffer.alloc(256 * 1024, ' ');
  let sent = 0;
  response.writeHead(status, { 'Content-Length': '99999999999' });
  const more = () => {
    while (!response.destroyed) {
      sent += block.length;
      if (!response.write(block)) return;
    }
  };
  response.on('drain', more);
  more();
  return new Promise((resolve) => response.on('close', () => resolve(sent)));
}

const MEMBER = 'Bearer svcp_read';

/** A store that only members may read, and the authorization headers that it received. */
async function closedStore(token?: () => string | null) {
  const sent: (string | null)[] = [];
  const closed: typeof fetch = async (input, init) => {
    const authorization = new Headers(init?.headers).get('authorization');
    sent.push(authorization);
    if (authorization === MEMBER) return storeFetch(input, init);
    const refusal = { code: 'unauthorized', message: 'Sign in.', requestId: 'r-1' };
    return Response.json(refusal, { status: 401 });
  };
  const { reader } = await started({ fetch: closed, token });
  return { reader, sent };
}

describe('reading a store that requires a token', () => {
  it('sends the token after the first 401, and then with each request', async () => {
    const { reader, sent } = await closedStore(() => 'svcp_read');
    expect((await reader.search({})).apps[0]).toMatchObject({ appId: APP });
    await reader.revocations();
    expect((await reader.download(REF)).bytes.byteLength).toBeGreaterThan(0);
    expect(sent).toEqual([null, MEMBER, MEMBER, MEMBER]);
  });

  it('sends both of two first requests again, though the second 401 comes after the first is settled', async () => {
    const settled = Promise.withResolvers<void>();
    let anonymous = 0;
    const closed: typeof fetch = async (input, init) => {
      if (new Headers(init?.headers).has('authorization')) {
        settled.resolve();
        return storeFetch(input, init);
      }
      anonymous += 1;
      if (anonymous > 1) await settled.promise;
      const refusal = { code: 'unauthorized', message: 'Sign in.', requestId: 'r-1' };
      return Response.json(refusal, { status: 401 });
    };
    const { reader } = await started({ fetch: closed, token: () => 'svcp_read' });
    const [first, second] = await Promise.all([reader.search({}), reader.search({})]);
    expect([first.apps.length, second.apps.length, anonymous]).toEqual([1, 1, 2]);
  });

  it.each([
    ['no token', undefined],
    ['a token that is null', () => null],
    ['a wrong token', () => 'svcp_other'],
  ])('is refused with %s', async (_what, token) => {
    const { reader } = await closedStore(token);
    await expect(reader.revocations()).rejects.toMatchObject({ code: 'sign-in-needed' });
  });

  it('does not send the token to a public store', async () => {
    const sent: boolean[] = [];
    const open: typeof fetch = (input, init) => {
      sent.push(new Headers(init?.headers).has('authorization'));
      return storeFetch(input, init);
    };
    const { reader } = await started({ fetch: open, token: () => 'svcp_read' });
    await reader.search({});
    await reader.download(REF);
    expect(sent).toEqual([false, false]);
  });
});

describe('reading a store', () => {
  it('returns search results, one app, and its bundle with its release', async () => {
    const { store, reader } = await started();
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
    const { store, reader } = await started();
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
    const { reader, store } = await started({ fetch: picture });
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
    const { store, reader } = await started();
    for (const appId of ['..', '.', '']) await expect(reader.detail(appId)).rejects.toThrow(TypeError);
    await expect(reader.detail('../../admin')).rejects.toMatchObject({ code: 'store-refused' });
    expect(store.seen.map(({ url }) => url)).toEqual(['/api/apps/..%2F..%2Fadmin']);
  });

  it('returns the only key of a store that has no list of keys', async () => {
    const { store, reader } = await started();
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
    const { store, reader } = await started();
    store.lie(`/api/apps/${APP}`, (response) => response.end(text));
    await expect(reader.detail(APP)).rejects.toMatchObject({ code: 'store-unreachable' });
  });

  it('is unreachable when it returns another app (wrong target)', async () => {
    const { store, reader } = await started();
    const other = await (await fetch(`${store.url}/api/apps/${APP}`)).json();
    store.lie('/api/apps/com.example.bank', (response) => store.answer(response, 200, other));
    await expect(reader.detail('com.example.bank')).rejects.toMatchObject({ code: 'store-unreachable' });
  });

  it('is unreachable when it sends no signature', async () => {
    const { store, reader } = await started();
    store.lie(BUNDLE, (response) => response.writeHead(200, { 'X-Svc-Sha256': 'A'.repeat(64) }).end('zip'));
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'store-unreachable' });
  });

  it('is not followed to another address', async () => {
    const { store, reader } = await started();
    const elsewhere = await startSigningStore();
    store.lie(BUNDLE, (response) => response.writeHead(302, { Location: elsewhere.url }).end());
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'store-unreachable' });
    expect(elsewhere.seen).toEqual([]);
  });

  it.each([
    ['a bundle', BUNDLE, 25],
    ['JSON', `/api/apps/${APP}`, 16],
  ])('is disconnected when %s does not end (endless data)', async (_name, path, most) => {
    const { store, reader } = await started();
    const sent = new Promise<number>((resolve) => {
      store.lie(path, (response) => void sendForEver(response, 200).then(resolve));
    });
    const asked = path === BUNDLE ? reader.download(REF) : reader.detail(APP);
    await expect(asked).rejects.toMatchObject({ code: 'too-large' });
    // Data in buffers counts as sent.
    expect(await sent).toBeLessThan((most + 16) * 2 ** 20);
  });

  it('is disconnected when an error does not end', async () => {
    const { store, reader } = await started();
    store.lie(BUNDLE, (response) => void sendForEver(response, 404));
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'too-large' });
  });

  it('is disconnected when it never answers, and when it stops in the middle (slow retrieval)', async () => {
    const { store, reader } = await started({ system: impatient });
    store.lie(BUNDLE, () => undefined);
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'too-slow' });
    store.lie(BUNDLE, (response) => void response.writeHead(200, { 'Content-Length': '100' }).write('PK'));
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'too-slow' });
  });

  it('is unreachable when it closes the connection, or a proxy answers with 502', async () => {
    const { store, reader } = await started();
    store.lie(BUNDLE, (response) => response.destroy());
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'store-unreachable' });
    store.lie(BUNDLE, (response) => void response.writeHead(502).end('<html>'));
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'store-unreachable' });
  });

  it('is not waited for after the caller has aborted', async () => {
    const { store, reader } = await started();
    const leaving = new AbortController();
    store.lie(BUNDLE, () => leaving.abort(new Error('I have left.')));
    await expect(reader.download(REF, leaving.signal)).rejects.toThrow('I have left.');
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
    return started({ fetch: lying });
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
