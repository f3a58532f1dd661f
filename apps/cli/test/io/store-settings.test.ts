import { describe, expect, it } from 'vitest';
import { requireSecureTransport, storeUrl, tokenOfEnvironment } from '../../src/io/store-settings.ts';

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
  ])('refuses %j, repeating no secret', (url) => {
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
  ])('lets a token go to %s', (store) => {
    expect(() => requireSecureTransport({}, store)).not.toThrow();
  });

  it.each(['http://store.example', 'http://localhost.example', 'http://127.0.0.1.example'])(
    'does not let it go to %s, unless told that the network is trusted',
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

  it.each(['two words', 'svcd_a\n', 'svcd_\u00e4'])(
    'takes %j for no token, and does not repeat it',
    (text) => {
      expect(() => tokenOfEnvironment({ SVC_TOKEN: text })).toThrow(/^SVC_TOKEN contains (?!.*svcd)/);
    },
  );
});
