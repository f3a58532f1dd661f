import { once } from 'node:events';
import { request } from 'node:http';
import { BlockList } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/composition/serve.ts';
import { createClientAddress, readNetworks } from '../../src/http/client-address.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../support/test-store.ts';

/** A store that listens on a real socket, with clients from 127.0.0.1. */
async function listening(trusted?: string, path = '/api/admin/publishers') {
  const store = await openTestStore({ environment: trusted ? { SVC_TRUSTED_PROXIES: trusted } : {} });
  const server = await listen(store, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  let count = 0;
  /** Creates a publisher, and returns the client address in the audit log, which must be that in the log. */
  async function recorded(forwarded?: string | string[], host = '127.0.0.1'): Promise<string | null> {
    count += 1;
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
    const call = request({ host, port: server.port, path, method: 'POST', headers });
    if (forwarded !== undefined) call.setHeader('X-Forwarded-For', forwarded);
    call.end(JSON.stringify({ slug: `p${count}`, name: `P ${count}` }));
    const [answer] = await once(call, 'response');
    answer.resume();
    expect(answer.statusCode).toBe(201);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?limit=1'));
    const [{ address, requestId }] = entries;
    expect(requestId).toBe(answer.headers['x-request-id']);
    const line = store.lines.find((text) => text.includes(requestId));
    expect(JSON.parse(line ?? '')).toMatchObject({ address, actor: 'automation' });
    return address;
  }
  return { store, server, recorded };
}

describe('the address of a client', () => {
  it('is the address of the connection, whatever headers the client sends', async () => {
    const { recorded } = await listening();
    for (const forged of [undefined, '6.6.6.6', ['6.6.6.6', '7.7.7.7'], '127.0.0.1', '::1, 6.6.6.6']) {
      expect([forged, await recorded(forged)]).toEqual([forged, '127.0.0.1']);
    }
  });

  it('is the address that a trusted proxy added, not an earlier one in the header', async () => {
    const { recorded } = await listening('127.0.0.1,10.0.0.0/8');
    expect(await recorded()).toBe('127.0.0.1');
    expect(await recorded('203.0.113.9')).toBe('203.0.113.9');
    expect(await recorded('6.6.6.6, 203.0.113.9')).toBe('203.0.113.9');
    expect(await recorded(['6.6.6.6', '203.0.113.9'])).toBe('203.0.113.9');
    // Two proxies in a row, and a client that claims to be a third one.
    expect(await recorded('6.6.6.6, 10.6.6.6, 203.0.113.9, 10.1.2.3')).toBe('203.0.113.9');
  });

  it('is not taken from the header of an untrusted proxy', async () => {
    const { recorded } = await listening('10.0.0.0/8,fd00::/8');
    expect(await recorded('6.6.6.6')).toBe('127.0.0.1');
    expect(await recorded('10.0.0.1')).toBe('127.0.0.1');
  });

  it.each([
    ['unknown', '127.0.0.1'],
    ['', '127.0.0.1'],
    ['6.6.6.6, 203.0.113.9:80', '127.0.0.1'],
    ['6.6.6.6, <script>', '127.0.0.1'],
    [`6.6.6.6, ${'9'.repeat(2_000)}`, '127.0.0.1'],
    ['6.6.6.6,', '127.0.0.1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:CB00:7109', '203.0.113.9'],
    ['6.6.6.6, ::ffff:127.0.0.1', '6.6.6.6'],
    ['2001:DB8:0:0::0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('from a trusted proxy with the header %j is %s', async (forwarded, address) => {
    const { recorded } = await listening('127.0.0.1');
    expect(await recorded(forwarded)).toBe(address);
  });

  it('is in the log for a response from memory too', async () => {
    const { store, server } = await listening('127.0.0.1');
    for (let n = 0; n < 2; n += 1) {
      await fetch(`http://127.0.0.1:${server.port}/api/apps/catalog`, {
        headers: { 'x-forwarded-for': '6.6.6.6, 203.0.113.9' },
      });
      expect(JSON.parse(store.lines.at(-1) ?? '')).toMatchObject({ address: '203.0.113.9' });
    }
  });

  it('reports once that a proxy forwards requests while none is trusted', async () => {
    const { store, server } = await listening();
    for (let n = 0; n < 2; n += 1) {
      await fetch(`http://127.0.0.1:${server.port}/healthz`, {
        headers: { 'x-forwarded-for': '203.0.113.9' },
      });
    }
    expect(store.lines.filter((line) => line.includes('SVC_TRUSTED_PROXIES'))).toHaveLength(1);
  });

  it('is null without a connection', () => {
    expect(createClientAddress(new BlockList())(undefined)).toBeNull();
  });
});

describe('a list of networks', () => {
  it.each(['10.0.0.1', ' 10.0.0.0/8 , fd00::/8', '::1', '0.0.0.0/1', '::ffff:10.0.0.0/104'])(
    'can be %j',
    (text) => {
      expect(readNetworks(text)).toBeInstanceOf(BlockList);
    },
  );

  it.each([
    '',
    ',',
    '1',
    'true',
    'proxy.internal',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '0.0.0.0/0',
    '::/0',
    'fe80::1%eth0',
    '10.0.0.1 10.0.0.2',
    '10.0.0.1,',
  ])('cannot be %j', (text) => {
    expect(readNetworks(text)).toBeNull();
  });
});
