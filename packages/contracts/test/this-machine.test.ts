import { expect, it } from 'vitest';
import { isThisMachine } from '../src/this-machine.ts';

it.each([
  'http://localhost/',
  'http://LOCALHOST:3000/',
  'http://app.localhost/',
  'http://a.b.localhost/',
  'http://127.0.0.1/',
  'http://127.255.255.254/',
  // Other spellings, which a URL parser normalizes.
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.0.0.1/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
])('%s is this machine', (url) => {
  expect(isThisMachine(new URL(url).hostname)).toBe(true);
});

it.each([
  'http://0.0.0.0/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://128.0.0.1/',
  'http://localhost.example.com/',
  'http://notlocalhost/',
  'http://localhost./',
  'http://localtest.me/',
  'http://127.0.0.1.nip.io/',
  'http://192.168.0.1/',
])('%s is not this machine on every machine', (url) => {
  expect(isThisMachine(new URL(url).hostname)).toBe(false);
});

it.each(['127.0.0.256', '127.0.0', '::1', ''])('%j is no host of a URL of this machine', (host) => {
  expect(isThisMachine(host)).toBe(false);
});
