import { expect, it } from 'vitest';
import { pageOfLink, readLink } from '../../src/links/read-link.ts';

it('reads what a link asks for, and leads to the page of the app', () => {
  const link = readLink('svc://install/com.example.notes?store=https%3A%2F%2Fstore.example.com%3A8443');
  expect(link).toEqual({
    action: 'install',
    appId: 'com.example.notes',
    store: 'https://store.example.com:8443',
  });
  expect(pageOfLink(link)).toBe('/store/com.example.notes/install/https%3A%2F%2Fstore.example.com%3A8443');
  const local = readLink('svc://rate/com.example.notes?store=http://localhost:8787');
  expect(local).toMatchObject({ action: 'rate', store: 'http://localhost:8787' });
});

it.each([
  ['another action', 'svc://remove/com.example.notes?store=https://s.example'],
  ['another scheme', 'https://install/com.example.notes?store=https://s.example'],
  ['no store', 'svc://install/com.example.notes'],
  ['two stores', 'svc://install/com.example.notes?store=https://a.example&store=https://b.example'],
  ['another parameter', 'svc://install/com.example.notes?store=https://s.example&yes=1'],
  ['http to another machine', 'svc://install/com.example.notes?store=http://s.example'],
  ['a file', 'svc://install/com.example.notes?store=file:///etc'],
  ['credentials of the store', 'svc://install/com.example.notes?store=https://u:p@s.example'],
  ['a path of the store', 'svc://install/com.example.notes?store=https://s.example/evil'],
  ['credentials', 'svc://u:p@install/com.example.notes?store=https://s.example'],
  ['a port', 'svc://install:1/com.example.notes?store=https://s.example'],
  ['a fragment', 'svc://install/com.example.notes?store=https://s.example#/settings'],
  ['a path that leaves the app', 'svc://install/../settings?store=https://s.example'],
  ['two segments', 'svc://install/com.example.notes/x?store=https://s.example'],
  ['an encoded id', 'svc://install/com.example%2Fnotes?store=https://s.example'],
  ['capital letters', 'svc://install/COM.example?store=https://s.example'],
  ['an option', '--folder=/tmp'],
  ['spaces', 'svc://install/com.example.notes?store=https://s.example --folder /tmp'],
  ['a line feed', 'svc://install/com.example.notes?store=https://s.example\n'],
  ['other characters', 'svc://install/com.example.nötes?store=https://s.example'],
  [
    'three thousand characters',
    `svc://install/com.example.notes?store=https://s.example/${'a'.repeat(3_000)}`,
  ],
])('refuses a link with %s', (_, text) => {
  expect(() => readLink(text)).toThrow(/./);
});
