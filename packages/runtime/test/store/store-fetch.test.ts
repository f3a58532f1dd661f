import { gzipSync } from 'node:zlib';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import { storeFetch } from '../../src/store/store-fetch.ts';

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
