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

describe('a store that keeps to the API', () => {
  it('is asked without the token for what anybody may know', async () => {
    const { client, seen } = await clientOf(answering(STATUS));
    expect(await client.status(REF)).toEqual(STATUS);
    expect(seen).toMatchObject([
      { url: '/api/apps/com.example.tidy/versions/1.0.0/status', authorization: undefined },
    ]);
  });

  it('gets the token once it says that it is for members, and only then', async () => {
    const { client, seen } = await clientOf((request, response) => {
      const isMember = request.headers.authorization === `Bearer ${TOKEN}`;
      const refusal = { code: 'unauthorized', message: 'Sign in.', requestId: 'r-1' };
      response.writeHead(isMember ? 200 : 401, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(isMember ? STATUS : refusal));
    });
    expect(await client.status(REF)).toEqual(STATUS);
    expect(seen.map(({ authorization }) => authorization)).toEqual([undefined, `Bearer ${TOKEN}`]);
  });

  it('gets the token with what a developer does', async () => {
    const { client, seen } = await clientOf(answering({ ...STATUS, status: 'yanked' }));
    await client.yank(REF, 'why');
    expect(seen).toMatchObject([{ method: 'POST', authorization: `Bearer ${TOKEN}` }]);
    expect(JSON.parse(String(seen[0]?.body))).toEqual({ reason: 'why' });
  });

  it('may say more than this client knows', async () => {
    const { client } = await clientOf(answering({ ...STATUS, mood: 'sunny' }));
    expect(await client.status(REF)).toHaveProperty('mood', 'sunny');
  });

  it('refuses in the form of its errors', async () => {
    const envelope = { code: 'not_found', message: 'No.', requestId: 'r-1' };
    const { client } = await clientOf(answering(envelope, 404));
    const refusal = await client.status(REF).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StoreError);
    expect(refusal).toMatchObject({ envelope });
  });

  it('sends a bundle with what it claims of it', async () => {
    const { client } = await clientOf((_request, response) => response.writeHead(200, HEADERS).end('zip'));
    const { bytes, release } = await client.download(REF);
    expect(Buffer.from(bytes).toString()).toBe('zip');
    expect(release).toMatchObject({ ...REF, sha256: HEADERS['X-Svc-Sha256'] });
    expect(await client.release(REF)).toEqual(release);
  });
});

describe('a store that does not', () => {
  const endless: Handler = (_request, response) => {
    response.writeHead(200, HEADERS);
    const chunk = Buffer.alloc(1024 * 1024);
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };

  it.each<{ what: string; handler: Handler; says: string; timeoutMs?: number }>([
    { what: 'sends no JSON', handler: (_q, response) => response.end('<html>'), says: 'it is not JSON' },
    { what: 'sends another record', handler: answering({ app: 1 }), says: 'does not match the API' },
    { what: 'fails as a proxy does', handler: answering({ oops: true }, 502), says: 'HTTP 502' },
    {
      what: 'makes up an error code',
      handler: answering({ code: 'x', message: '', requestId: '' }, 400),
      says: 'HTTP 400',
    },
    { what: 'never stops talking', handler: endless, says: 'it is longer than' },
    { what: 'hangs up', handler: (request) => request.socket.destroy(), says: 'the connection was closed' },
    { what: 'says nothing', handler: () => {}, says: 'the request timed out', timeoutMs: 1_000 },
  ])('is reported as faulty when it $what', async ({ handler, says, timeoutMs }) => {
    const { client } = await clientOf(handler, timeoutMs);
    await expect(client.status(REF)).rejects.toThrow(says);
  });

  it('is given up when a bundle does not end', async () => {
    const { client } = await clientOf(endless);
    await expect(client.download(REF)).rejects.toThrow('it is longer than 26214400 bytes');
  });

  it('is given up when it stops in the middle', async () => {
    const { client } = await clientOf((_request, response) => {
      response.writeHead(200, { ...HEADERS, 'Content-Length': '1000' }).write('zip');
      setTimeout(() => response.destroy(), 20);
    });
    await expect(client.download(REF)).rejects.toThrow('Cannot reach the store');
  });

  it.each(Object.keys(HEADERS))('is given up when %s is malformed', async (name) => {
    const { client } = await clientOf((_q, response) =>
      response.writeHead(200, { ...HEADERS, [name]: 'x' }).end(),
    );
    await expect(client.release(REF)).rejects.toThrow(name);
  });

  it('is not followed to where it points, and the token goes nowhere', async () => {
    const elsewhere = await fakeStore(answering(STATUS));
    const { client } = await clientOf((_request, response) => {
      response.writeHead(307, { Location: `${elsewhere.url}/api/apps/publish` }).end();
    });
    await expect(client.yank(REF, 'why')).rejects.toThrow('responds with a redirect');
    await expect(client.publish(new Uint8Array(4))).rejects.toThrow('responds with a redirect');
    expect(elsewhere.seen).toEqual([]);
  });
});

it('says that nothing listens', async () => {
  const client = new StoreClient({ baseUrl: 'http://127.0.0.1:1', fetch });
  await expect(client.publicKey()).rejects.toThrow(/^Cannot reach the store at http:\/\/127\.0\.0\.1:1: /);
});

it.each(['', '.', '..'])('takes %j for no name', async (name) => {
  const client = new StoreClient({ baseUrl: 'http://127.0.0.1:1', fetch });
  expect(() => client.detail(name)).toThrow('is not a valid app id or version');
});

it('puts a name into the address as one step, whatever it holds', async () => {
  const { client, seen } = await clientOf(answering(STATUS));
  await client.status({ appId: '../a?b#c', version: '%2e' });
  expect(seen[0]?.url).toBe('/api/apps/..%2Fa%3Fb%23c/versions/%252e/status');
});
