import { BlockList } from 'node:net';
import { expect, it } from 'vitest';
import { startNotes } from '../../../src/composition/settings/start-notes.ts';
import { readNetworks } from '../../../src/http/client-address.ts';

it('a store behind a proxy that it does not trust says so', () => {
  const none = new BlockList();
  const proxy = readNetworks('10.0.0.5') ?? none;
  expect(startNotes({ baseUrl: 'https://store.example', trustedProxies: none })).toEqual([
    expect.stringContaining('SVC_TRUSTED_PROXIES'),
  ]);
  expect(startNotes({ baseUrl: 'https://store.example', trustedProxies: proxy })).toEqual([]);
  expect(startNotes({ baseUrl: 'http://localhost:8787', trustedProxies: none })).toEqual([]);
});
