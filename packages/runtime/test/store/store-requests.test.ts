import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { storeFetch } from '../../src/store/store-fetch.ts';
import { APP, BUNDLE, startSigningStore } from '../support/signing-store.ts';
import { openReader } from '../support/store-reader.ts';
import { system } from '../support/world.ts';

const REF = { appId: APP, version: '1.0.0' };

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
  const { reader } = await openReader({ fetch: closed, token });
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
    const { reader } = await openReader({ fetch: closed, token: () => 'svcp_read' });
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
    const { reader } = await openReader({ fetch: open, token: () => 'svcp_read' });
    await reader.search({});
    await reader.download(REF);
    expect(sent).toEqual([false, false]);
  });
});

describe('a store that lies', () => {
  it('is not followed to another address', async () => {
    const { store, reader } = await openReader();
    const elsewhere = await startSigningStore();
    store.lie(BUNDLE, (response) => response.writeHead(302, { Location: elsewhere.url }).end());
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'store-unreachable' });
    expect(elsewhere.seen).toEqual([]);
  });

  it.each([
    ['a bundle', BUNDLE, 25],
    ['JSON', `/api/apps/${APP}`, 16],
  ])('is disconnected when %s does not end (endless data)', async (_name, path, most) => {
    const { store, reader } = await openReader();
    const sent = new Promise<number>((resolve) => {
      store.lie(path, (response) => void sendForEver(response, 200).then(resolve));
    });
    const asked = path === BUNDLE ? reader.download(REF) : reader.detail(APP);
    await expect(asked).rejects.toMatchObject({ code: 'too-large' });
    // Data in buffers counts as sent.
    expect(await sent).toBeLessThan((most + 16) * 2 ** 20);
  });

  it('is disconnected when an error does not end', async () => {
    const { store, reader } = await openReader();
    store.lie(BUNDLE, (response) => void sendForEver(response, 404));
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'too-large' });
  });

  it('is disconnected when it never answers, and when it stops in the middle (slow retrieval)', async () => {
    const { store, reader } = await openReader({ system: impatient });
    store.lie(BUNDLE, () => undefined);
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'too-slow' });
    store.lie(BUNDLE, (response) => void response.writeHead(200, { 'Content-Length': '100' }).write('PK'));
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'too-slow' });
  });

  it('is unreachable when it closes the connection, or a proxy answers with 502', async () => {
    const { store, reader } = await openReader();
    store.lie(BUNDLE, (response) => response.destroy());
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'store-unreachable' });
    store.lie(BUNDLE, (response) => void response.writeHead(502).end('<html>'));
    await expect(reader.download(REF)).rejects.toMatchObject({ code: 'store-unreachable' });
  });

  it('is not waited for after the caller has aborted', async () => {
    const { store, reader } = await openReader();
    const leaving = new AbortController();
    store.lie(BUNDLE, () => leaving.abort(new Error('I have left.')));
    await expect(reader.download(REF, leaving.signal)).rejects.toThrow('I have left.');
  });
});
