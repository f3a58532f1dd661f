import { BlockList } from 'node:net';
import { certificateFor } from '@svc/testkit/certificate';
import { expect, it } from 'vitest';
import { startNotes } from '../../../src/composition/settings/start-notes.ts';
import { readNetworks } from '../../../src/http/client-address.ts';

const NOW = new Date();
const DAY_MS = 24 * 60 * 60_000;

it('a store behind a proxy that it does not trust says so', () => {
  const none = new BlockList();
  const proxy = readNetworks('10.0.0.5') ?? none;
  expect(
    startNotes({ baseUrl: 'https://store.example', trustedProxies: none, authorities: null }, NOW),
  ).toEqual([expect.stringContaining('SVC_TRUSTED_PROXIES')]);
  expect(
    startNotes({ baseUrl: 'https://store.example', trustedProxies: proxy, authorities: null }, NOW),
  ).toEqual([]);
  expect(
    startNotes({ baseUrl: 'http://localhost:8787', trustedProxies: none, authorities: null }, NOW),
  ).toEqual([]);
});

it('a store with a certificate authority whose time is over says which', () => {
  const settings = {
    ...{ baseUrl: 'http://localhost:8787', trustedProxies: new BlockList() },
    authorities: [certificateFor('localhost').cert],
  };
  expect(startNotes(settings, NOW)).toEqual([]);
  // It is valid for two days.
  expect(startNotes(settings, new Date(NOW.getTime() + 3 * DAY_MS))).toEqual([
    expect.stringMatching(/^SVC_CA_FILE has a certificate that expired on \d{4}-\d\d-\d\d: CN=test\.$/),
  ]);
});
