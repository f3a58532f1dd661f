import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  requireSecureTransport,
  servingStore,
  storeUrl,
  tokenOfEnvironment,
} from '../../src/io/store-settings.ts';
import { tempFolder } from '../support/command-context.ts';

describe('storeUrl', () => {
  it.each([
    { option: undefined, env: {}, url: 'http://localhost:8787' },
    { option: undefined, env: { SVC_STORE: '' }, url: 'http://localhost:8787' },
    { option: undefined, env: { SVC_STORE: 'https://Store.Example/' }, url: 'https://store.example' },
    {
      option: 'https://a.example/svc//',
      env: { SVC_STORE: 'https://b.example' },
      url: 'https://a.example/svc',
    },
  ])('is $url', ({ option, env, url }) => {
    expect(storeUrl(option, env)).toBe(url);
  });

  it.each([
    'store.example',
    'file:///etc',
    'https://user:secret@store.example',
    'https://store.example?a=1',
    'https://store.example#a',
    '',
  ])('refuses %j without printing a password', (url) => {
    expect(() => storeUrl(url, {})).toThrow(/^--store must (?!.*secret)/);
  });
});

describe('requireSecureTransport', () => {
  it.each([
    'https://store.example',
    'http://localhost:1',
    'http://store.localhost',
    'http://127.0.0.1:1',
    'http://[::1]:1',
  ])('allows a token to be sent to %s', (store) => {
    expect(() => requireSecureTransport({}, store)).not.toThrow();
  });

  it.each(['http://store.example', 'http://localhost.example', 'http://127.0.0.1.example'])(
    'refuses to send a token to %s without SVC_INSECURE_HTTP',
    (store) => {
      expect(() => requireSecureTransport({}, store)).toThrow('Use https');
      expect(() => requireSecureTransport({ SVC_INSECURE_HTTP: '1' }, store)).not.toThrow();
    },
  );
});

describe('tokenOfEnvironment', () => {
  it.each([
    { env: {}, token: undefined },
    { env: { SVC_TOKEN: '' }, token: undefined },
    { env: { SVC_TOKEN: 'svcd_a' }, token: 'svcd_a' },
  ])('is $token with $env', ({ env, token }) => {
    expect(tokenOfEnvironment(env)).toBe(token);
  });

  it.each(['two words', 'svcd_a\n', 'svcd_\u00e4'])('refuses %j without printing it', (text) => {
    expect(() => tokenOfEnvironment({ SVC_TOKEN: text })).toThrow(/^SVC_TOKEN contains (?!.*svcd)/);
  });
});

it('returns the store that served the program, or undefined', async () => {
  const file = path.join(await tempFolder(), 'store.json');
  expect(servingStore(pathToFileURL(file))).toBeUndefined();
  await writeFile(file, '{"store":"https://apps.example.com"}\n');
  expect(servingStore(pathToFileURL(file))).toBe('https://apps.example.com');
  expect(servingStore()).toBeUndefined();
});
