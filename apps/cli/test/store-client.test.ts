import { TIMEOUT_MS } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../src/failure.ts';
import { StoreClient } from '../src/store-client.ts';
import { answering, fakeStore, type Handler } from './support/fake-store.ts';

const REF = { appId: 'com.example.tidy', version: '1.0.0' };
const STATUS = { ...REF, status: 'published', issues: [], notes: '', retracted: false };
const TOKEN = 'svcd_0123456789abcdefghijABCDEFGHIJ12345';

const HEADERS = {
  'X-Svc-Sha256': 'a'.repeat(64),
  'X-Svc-Signature': Buffer.alloc(64).toString('base64'),
  'X-Svc-Key-Id': 'ed25519-0123456789abcdef',
  'X-Svc-Published-At': '2026-01-02T03:04:05.678Z',
};

const clientOf = async (handler: Handler, timeoutMs = TIMEOUT_MS) => {
  const { url, seen } = await fakeStore(handler);
  const timeouts = { timeoutMs, transferTimeoutMs: timeoutMs };
  return { client: new StoreClient({ baseUrl: url, fetch, token: TOKEN, ...timeouts }), url, seen };
};

describe('StoreClient, with a correct store', () => {
  it('sends no token with a public request', async () => {
    const { client, seen } = await clientOf(answering(STATUS));
    expect(await client.call('GET /api/apps/:appId/versions/:version/status', { params: REF })).toEqual(
      STATUS,
    );
    expect(seen).toMatchObject([
      { url: '/api/apps/com.example.tidy/versions/1.0.0/status', authorization: undefined },
    ]);
  });

  it('sends the token with a public request only after a 401', async () => {
    const { client, seen } = await clientOf((request, response) => {
      const isMember = request.headers.authorization === `Bearer ${TOKEN}`;
      const refusal = { code: 'unauthorized', message: 'Sign in.', requestId: 'r-1' };
      response.writeHead(isMember ? 200 : 401, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(isMember ? STATUS : refusal));
    });
    expect(await client.call('GET /api/apps/:appId/versions/:version/status', { params: REF })).toEqual(
      STATUS,
    );
    expect(seen.map(({ authorization }) => authorization)).toEqual([undefined, `Bearer ${TOKEN}`]);
  });

  it('sends the token with a request that changes something', async () => {
    const { client, seen } = await clientOf(answering({ ...STATUS, status: 'yanked' }));
    await client.call('POST /api/apps/:appId/versions/:version/yank', {
      params: REF,
      json: { reason: 'why' },
    });
    expect(seen).toMatchObject([{ method: 'POST', authorization: `Bearer ${TOKEN}` }]);
    expect(JSON.parse(String(seen[0]?.body))).toEqual({ reason: 'why' });
  });

  it('keeps unknown fields of a response', async () => {
    const { client } = await clientOf(answering({ ...STATUS, mood: 'sunny' }));
    expect(
      await client.call('GET /api/apps/:appId/versions/:version/status', { params: REF }),
    ).toHaveProperty('mood', 'sunny');
  });

  it('throws a StoreError with the error envelope of a refusal', async () => {
    const envelope = { code: 'not_found', message: 'No.', requestId: 'r-1' };
    const { client } = await clientOf(answering(envelope, 404));
    const refusal = await client
      .call('GET /api/apps/:appId/versions/:version/status', { params: REF })
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StoreError);
    expect(refusal).toMatchObject({ envelope });
  });

  it('returns a bundle with the facts from its headers', async () => {
    const { client } = await clientOf((_request, response) => response.writeHead(200, HEADERS).end('zip'));
    const { bytes, release } = await client.download(REF);
    expect(Buffer.from(bytes).toString()).toBe('zip');
    expect(release).toMatchObject({ ...REF, sha256: HEADERS['X-Svc-Sha256'] });
    expect(await client.release(REF)).toEqual(release);
  });
});

describe('StoreClient, with a faulty store', () => {
  const endless: Handler = (_request, response) => {
    response.writeHead(200, HEADERS);
    const chunk = Buffer.alloc(1024 * 1024);
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };

  it.each<{ what: string; handler: Handler; says: string | RegExp; timeoutMs?: number }>([
    { what: 'does not send JSON', handler: (_q, response) => response.end('<html>'), says: 'it is not JSON' },
    { what: 'sends another record', handler: answering({ app: 1 }), says: 'does not match the API' },
    { what: 'fails as a proxy does', handler: answering({ oops: true }, 502), says: 'HTTP 502' },
    {
      what: 'is behind a server with a lower limit',
      handler: (_request, response) => response.writeHead(413, { Server: 'nginx' }).end('<html>'),
      says: /^A server before the store at \S+ answered HTTP 413 \(nginx\)\. The request is too large for it: .*client_max_body_size/,
    },
    {
      what: 'is behind a firewall',
      handler: (_request, response) => response.writeHead(403).end('<html>'),
      says: 'answered HTTP 403. It refuses the request',
    },
    {
      what: 'sends an unknown error code',
      handler: answering({ code: 'x', message: '', requestId: '' }, 400),
      says: 'HTTP 400',
    },
    { what: 'sends an endless response', handler: endless, says: 'it is longer than' },
    {
      what: 'closes the connection',
      handler: (request) => request.socket.destroy(),
      says: 'the connection was closed',
    },
    { what: 'does not respond', handler: () => {}, says: 'the request timed out', timeoutMs: 1_000 },
  ])('reports the fault of a store that $what', async ({ handler, says, timeoutMs }) => {
    const { client } = await clientOf(handler, timeoutMs);
    await expect(
      client.call('GET /api/apps/:appId/versions/:version/status', { params: REF }),
    ).rejects.toThrow(says);
  });

  it('ends a download without a signature, whose body would keep the process running', async () => {
    const closed = Promise.withResolvers<void>();
    const { client } = await clientOf((_request, response) => {
      response.on('close', closed.resolve);
      response.writeHead(200, { 'Content-Type': 'application/zip' }).write('PK');
    });
    await expect(client.download(REF)).rejects.toThrow('X-Svc-Sha256 is missing');
    await closed.promise;
  });

  it('stops the download of an endless bundle', async () => {
    const { client } = await clientOf(endless);
    await expect(client.download(REF)).rejects.toThrow('it is longer than 26214400 bytes');
  });

  it('reports a download that is interrupted', async () => {
    const { client } = await clientOf((_request, response) => {
      response.writeHead(200, { ...HEADERS, 'Content-Length': '1000' }).write('zip');
      setTimeout(() => response.destroy(), 20);
    });
    await expect(client.download(REF)).rejects.toThrow('Cannot reach the store');
  });

  it.each(Object.keys(HEADERS))('refuses a malformed header %s', async (name) => {
    const { client } = await clientOf((_q, response) =>
      response.writeHead(200, { ...HEADERS, [name]: 'not this' }).end(),
    );
    await expect(client.release(REF)).rejects.toThrow(name);
  });

  it('does not follow a redirect, and sends the token to no other host', async () => {
    const elsewhere = await fakeStore(answering(STATUS));
    const { client } = await clientOf((_request, response) => {
      response.writeHead(307, { Location: `${elsewhere.url}/api/apps/publish` }).end();
    });
    await expect(
      client.call('POST /api/apps/:appId/versions/:version/yank', { params: REF, json: { reason: 'why' } }),
    ).rejects.toThrow('responds with a redirect');
    await expect(client.publish(new Uint8Array(4))).rejects.toThrow('responds with a redirect');
    expect(elsewhere.seen).toEqual([]);
  });
});

it('reports that nothing listens at the URL', async () => {
  const client = new StoreClient({ baseUrl: 'http://127.0.0.1:1', fetch });
  await expect(client.call('GET /api/apps/public-key')).rejects.toThrow(
    /^Cannot reach the store at http:\/\/127\.0\.0\.1:1: /,
  );
});

it.each(['', '.', '..'])('refuses %j as an app id', async (name) => {
  const client = new StoreClient({ baseUrl: 'http://127.0.0.1:1', fetch });
  const request = client.call('GET /api/apps/:appId', { params: { appId: name } });
  await expect(request).rejects.toThrow('is not a valid app id or version');
});

it('encodes an app id as one segment of the path', async () => {
  const { client, seen } = await clientOf(answering(STATUS));
  await client.call('GET /api/apps/:appId/versions/:version/status', {
    params: { appId: '../a?b#c', version: '%2e' },
  });
  expect(seen[0]?.url).toBe('/api/apps/..%2Fa%3Fb%23c/versions/%252e/status');
});
