import { describe, expect, it } from 'vitest';
import { resolveLocalAddress } from '../../src/connectors/resolve-address.ts';
import { refused } from '../support/refused.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  'nas.local': ['192.168.1.5', '::ffff:192.168.1.6', '192.168.1.5'],
  'both.example.com': ['192.168.1.5', '93.184.216.34'],
  'metadata.example.com': ['169.254.169.254'],
  'example.com': ['93.184.216.34'],
  'many.local': Array.from({ length: 17 }, (_, n) => `10.0.0.${n}`),
};

const resolve = (text: string) =>
  resolveLocalAddress(text, {
    lookUp: async (host) => {
      const found = NAMES[host];
      if (!found) throw new Error('ENOTFOUND');
      return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
    ownAddresses: () => ['http://localhost:8787', 'https://store.example.com', 'http://127.0.0.1:9000/panel'],
  });

describe('an address of this machine or the local network', () => {
  it.each([
    ['http://localhost:3000/mcp#top', 'http://localhost:3000/mcp', ['127.0.0.1', '::1'], 'this-machine'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/', ['127.0.0.1'], 'this-machine'],
    ['https://[::1]/mcp', 'https://[::1]/mcp', ['::1'], 'this-machine'],
    ['http://2130706433:3000/', 'http://127.0.0.1:3000/', ['127.0.0.1'], 'this-machine'],
    ['HTTP://NAS.local/mcp', 'http://nas.local/mcp', ['192.168.1.5', '192.168.1.6'], 'local-network'],
    ['http://[fd12::1]:80/', 'http://[fd12::1]/', ['fd12::1'], 'local-network'],
  ])('is %s', async (text, url, addresses, place) => {
    expect(await resolve(text)).toEqual({ url, addresses, place });
  });

  it.each([
    'http://example.com/mcp',
    'https://93.184.216.34/mcp',
    'http://both.example.com/',
    'http://metadata.example.com/',
    'http://169.254.169.254/latest',
    'http://0.0.0.0:3000/',
    'http://many.local/',
    'http://me:secret@localhost:3000/',
    'ftp://localhost/',
    'file:///etc/passwd',
    'no address',
    `http://localhost/${'x'.repeat(3_000)}`,
    // Ports of the client and its store.
    'http://localhost:8787/mcp',
    'http://127.0.0.1:8787/mcp',
    'http://[::1]:9000/',
  ])('is not %s', async (text) => {
    await expect(resolve(text)).rejects.toEqual(refused('address-refused'));
  });

  it('is not a name that does not resolve', async () => {
    await expect(resolve('http://gone.local/')).rejects.toEqual(refused('unreachable'));
  });
});
