import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { isPublicAddress } from '@svc/contracts/public-address';
import type { Say } from '@svc/testkit/dns-server';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import type { Connecting } from '../../src/network/connector.ts';
import { createStorageFetch, storeFetch } from '../../src/store/store-fetch.ts';
import { createStoreReader } from '../../src/store/store-reader.ts';
import { leadsTo, serveSite } from '../support/internet.ts';
import { APP, BUNDLE, startSigningStore } from '../support/signing-store.ts';
import { system } from '../support/world.ts';

describe('the fetch function for a store', () => {
  it('sends the given headers, and decompresses the answer', async () => {
    const url = await serveHere(
      () =>
        ({ headers }, response) =>
          void response
            .setHeader('Content-Encoding', 'gzip')
            .end(gzipSync(JSON.stringify([headers['x-svc-install-id'], headers['accept-encoding']]))),
    );
    const response = await storeFetch(url, { headers: { 'X-Svc-Install-Id': 'install-1' } });
    expect(await response.json()).toEqual(['install-1', 'gzip, br']);
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect: %d', async (status) => {
    const asked: (string | undefined)[] = [];
    const url = await serveHere((base) => (request, response) => {
      asked.push(request.url);
      response.writeHead(status, { Location: `${base}/elsewhere` }).end();
    });
    await expect(storeFetch(`${url}/here`)).rejects.toThrow('redirect');
    expect(asked).toEqual(['/here']);
  });

  it('returns a redirect to a caller that asks for it', async () => {
    const url = await serveHere(() => (_request, response) => {
      response.writeHead(307, { Location: 'https://storage.example.com/' }).end();
    });
    expect((await storeFetch(url, { redirect: 'manual' })).status).toBe(307);
  });

  it('rejects a body, and a request that is not a URL', async () => {
    const url = await serveHere(() => (_request, response) => void response.end());
    await expect(storeFetch(url, { method: 'POST', body: 'x' })).rejects.toThrow(TypeError);
    await expect(storeFetch(new Request(url))).rejects.toThrow(TypeError);
  });

  it('is aborted by its signal', async () => {
    const url = await serveHere(() => () => undefined);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(storeFetch(url, { signal })).rejects.toThrow('enough');
  });
});

const HOST = 'storage.example.com';
const PLACE = `https://${HOST}/bundles/ab?X-Amz-Signature=ab&X-Amz-Expires=60`;
const REF = { appId: APP, version: '1.0.0' };

type Asked = { url: string | undefined; headers: IncomingHttpHeaders };

/** A store, and the storage that it redirects to; an `insistent` store also redirects clients that do not follow redirects. */
async function redirected(
  location: string,
  given: { answer?: RequestListener; say?: Say; connecting?: Connecting; insistent?: boolean } = {},
) {
  const store = await startSigningStore();
  const { bytes, release } = store.publish();
  const asked: Asked[] = [];
  const site = await serveSite(
    HOST,
    (request, response) => {
      asked.push({ url: request.url, headers: request.headers });
      if (given.answer) given.answer(request, response);
      else response.end(bytes);
    },
    given.say,
  );
  const headers = Object.fromEntries((await fetch(store.url + BUNDLE)).headers);
  const requests: IncomingHttpHeaders[] = [];
  store.lie(BUNDLE, (response, request) => {
    requests.push(request.headers);
    const follows = request.headers['x-svc-redirect'] === '1';
    if (follows || given.insistent) redirect(response, location, headers);
    else response.writeHead(200, headers).end(bytes);
  });
  const reader = createStoreReader({
    ...{ system, fetch: storeFetch, store: store.url, installId: 'install-1', token: () => 'svcp_read' },
    // The rules for a store on another machine; a test below has a store on this machine.
    storage: createStorageFetch('https://apps.example.com', {
      system,
      connecting: { ...site.connecting, ...given.connecting },
    }),
  });
  return { store, reader, asked, requests, bytes, release };
}

function redirect(response: ServerResponse, location: string, headers: Record<string, string>): void {
  const { 'content-length': _length, ...kept } = headers;
  response
    .writeHead(307, { ...kept, 'Set-Cookie': 'session=1; Domain=example.com', Location: location })
    .end();
}

describe('bytes in the storage behind a store', () => {
  it('are downloaded from there, with no header that identifies the client', async () => {
    const { reader, asked, requests, bytes, release } = await redirected(PLACE);
    const got = await reader.download(REF);
    expect([got.bytes, got.release, got.sha256]).toEqual([bytes, release, release.sha256]);
    expect(requests.map((headers) => headers['x-svc-redirect'])).toEqual(['1']);
    expect(asked.map(({ url }) => url)).toEqual([new URL(PLACE).pathname + new URL(PLACE).search]);
    expect(Object.keys(asked[0]?.headers ?? {}).sort()).toEqual(
      ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'].sort(),
    );
  });

  it('are requested without the token, also when the store requires it', async () => {
    const { store, reader, asked } = await redirected(PLACE);
    const first = store.state.published.get(`${APP}@1.0.0`);
    store.lie(BUNDLE, (response, request) => {
      if (request.headers.authorization !== 'Bearer svcp_read') store.refuse(response, 401, 'unauthorized');
      else redirect(response, PLACE, { 'x-svc-sha256': first?.release.sha256 ?? '' });
    });
    // The headers of a release are missing on purpose: the test is about the request to the storage.
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'store-unreachable' });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
    expect(asked[0]?.headers).not.toHaveProperty('x-svc-install-id');
  });

  it('are returned with their own hash, like the bytes of the store', async () => {
    const { reader, release } = await redirected(PLACE, {
      answer: (_request, response) => response.end('others'),
    });
    const got = await reader.download(REF);
    expect(got.release.sha256).toBe(release.sha256);
    expect(got.sha256).not.toBe(release.sha256);
  });
});

/** Redirects of a malicious store. */
const HARMFUL = [
  ['plain http', `http://${HOST}/b`],
  ['a password', `https://a:b@${HOST}/b`],
  ['a port of its own', `https://${HOST}:8443/b`],
  ['a file', 'file:///etc/passwd'],
  ['a data URL', 'data:application/zip,PK'],
  ['an empty URL', ''],
  ['a path of the store', '/api/admin/backup'],
  ['this machine', 'http://127.0.0.1:8787/'],
  ['this machine by name', 'https://localhost/'],
  ['this machine in hexadecimal', 'https://0x7f.1/'],
  ['this machine as IPv6', 'https://[::ffff:127.0.0.1]/'],
  ['the metadata of a cloud', 'https://169.254.169.254/latest/meta-data/'],
  ['a private network', 'https://10.0.0.1/'],
  ['a public address without a name', 'https://203.0.113.7/'],
] as const;

describe('a store that redirects to a forbidden address', () => {
  it.each(HARMFUL)('cannot make its clients request %s', async (_what, location) => {
    const dialled: string[] = [];
    const connecting = {
      lookUp: async (host: string) => {
        dialled.push(host);
        return [];
      },
    };
    const { reader, asked, requests, bytes } = await redirected(location, { connecting });
    expect((await reader.download(REF)).bytes).toEqual(bytes);
    expect(asked).toEqual([]);
    expect(dialled).toEqual([]);
    // The client requested the bytes from the store, and does so from now on.
    expect(requests.map((headers) => headers['x-svc-redirect'])).toEqual(['1', undefined]);
    await reader.download(REF);
    expect(requests).toHaveLength(3);
  });

  it.each([
    ['a private network', '10.0.0.1'],
    ['this machine', '127.0.0.1'],
    ['the metadata of a cloud', '169.254.169.254'],
  ])('cannot make its clients request a name that resolves to %s', async (_what, address) => {
    const { reader, asked, bytes } = await redirected(PLACE, {
      say: leadsTo(address),
      connecting: { isPublic: isPublicAddress },
    });
    expect((await reader.download(REF)).bytes).toEqual(bytes);
    expect(asked).toEqual([]);
  });

  it('is unreachable when it also redirects a request that does not follow redirects', async () => {
    const { reader, asked } = await redirected('http://127.0.0.1:1/', { insistent: true });
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'store-unreachable' });
    expect(asked).toEqual([]);
  });

  it('is followed only for bundles', async () => {
    const { store, reader, asked } = await redirected(PLACE);
    store.lie(`/api/apps/${APP}`, (response) => redirect(response, PLACE, {}));
    await expect(reader.detail(APP)).rejects.toMatchObject({ code: 'store-unreachable' });
    expect(asked).toEqual([]);
  });
});

describe('a storage that does not serve', () => {
  it.each<[string, RequestListener]>([
    ['redirects', (_request, response) => response.writeHead(307, { Location: `https://${HOST}/2` }).end()],
    ['responds with 403', (_request, response) => response.writeHead(403).end('<Error/>')],
    ['closes the connection', (_request, response) => response.destroy()],
    [
      'closes the connection in the middle',
      (_request, response) => {
        response.writeHead(200, { 'Content-Length': '9999' });
        response.write('PK', () => response.destroy());
      },
    ],
    ['never ends', (_request, response) => sendForEver(response)],
  ])('is replaced by the store when it %s', async (_what, answer) => {
    const { reader, asked, bytes } = await redirected(PLACE, { answer });
    expect((await reader.download(REF)).bytes).toEqual(bytes);
    expect(asked).toHaveLength(1);
  });

  it('stops when its caller aborts', async () => {
    const leaving = new AbortController();
    const { reader } = await redirected(PLACE, { answer: () => leaving.abort(new Error('I have left.')) });
    await expect(reader.download(REF, leaving.signal)).rejects.toThrow('I have left.');
  });
});

function sendForEver(response: ServerResponse): void {
  const block = Buffer.alloc(1024 * 1024);
  const more = (): void => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', more);
  more();
}

describe('the storage of a store on this machine', () => {
  it('may be on this machine too', async () => {
    const store = await startSigningStore();
    const { release } = store.publish();
    const read = createStorageFetch(store.url, { system });
    const signal = new AbortController().signal;
    const got = await read(store.url + BUNDLE, signal, async ({ headers }) => headers.get('x-svc-sha256'));
    expect(got).toBe(release.sha256);
    expect(store.seen).toEqual([{ url: BUNDLE, installId: undefined }]);
  });
});
