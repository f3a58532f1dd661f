import { describe, expect, it } from 'vitest';
import { admit } from '../../src/http/admit.ts';

type Headers = Record<string, string>;

const asked = (headers: Headers, method = 'POST', remoteAddress = '127.0.0.1') => ({
  headers: { host: 'localhost:4000', ...headers },
  method,
  socket: { remoteAddress },
});

const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('admit', () => {
  it.each<[string, Headers, string?]>([
    ['a program', {}],
    ['our page', { origin: 'http://localhost:4000', 'sec-fetch-site': 'same-origin' }],
    ['our page by its IPv4 address', { host: '127.0.0.1:4000', origin: 'http://127.0.0.1:4000' }],
    ['our page by its IPv6 address', { host: '[::1]:4000', origin: 'http://[::1]:4000' }],
    ['a typed address', { 'sec-fetch-site': 'none', ...NAVIGATION }, 'GET'],
    ['a link on a page elsewhere', { 'sec-fetch-site': 'cross-site', ...NAVIGATION }, 'GET'],
  ])('admits %s', (_, headers, method) => {
    expect(() => admit(asked(headers, method), 4_000)).not.toThrow();
  });

  it.each<[string, number, Headers, string?]>([
    ['a foreign name that resolves to this machine', 421, { host: 'evil.example:4000' }],
    ['a foreign name that begins with our name', 421, { host: 'localhost.evil.example:4000' }],
    ['a subdomain of our name, as panels have', 421, { host: 'app.localhost:4000' }],
    ['our name without its port', 421, { host: 'localhost' }],
    ['our name with another port', 421, { host: 'localhost:4001' }],
    ['a foreign origin', 403, { origin: 'https://evil.example' }],
    ['another program of this machine', 403, { origin: 'http://localhost:4001' }],
    ['the origin of our page by another name', 403, { origin: 'http://127.0.0.1:4000' }],
    ['a page in a sandbox', 403, { origin: 'null' }],
    ['a form of another site', 403, { 'sec-fetch-site': 'cross-site', ...NAVIGATION }],
    ['a script of another port', 403, { 'sec-fetch-site': 'same-site' }, 'GET'],
    [
      'a picture of another site',
      403,
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      'GET',
    ],
    [
      'a frame of another site',
      403,
      { 'sec-fetch-site': 'cross-site', ...NAVIGATION, 'sec-fetch-dest': 'iframe' },
      'GET',
    ],
  ])('refuses %s', (_, status, headers, method) => {
    expect(() => admit(asked(headers, method), 4_000)).toThrow(expect.objectContaining({ status }));
  });

  it.each(['192.168.1.7', '::ffff:10.0.0.1', '2001:db8::1', ''])('refuses another machine, %s', (address) => {
    expect(() => admit(asked({}, 'GET', address), 4_000)).toThrow(expect.objectContaining({ status: 403 }));
  });
});
