import { describe, expect, it } from 'vitest';
import { requireToken, storeUrl } from '../../src/io/store-settings.ts';

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

describe('requireToken', () => {
  const env = { SVC_TOKEN: 'svcd_a' };

  it.each([
    'https://store.example',
    'http://localhost:1',
    'http://store.localhost',
    'http://127.0.0.1:1',
    'http://[::1]:1',
  ])('hands out the token for %s', (store) => {
    expect(requireToken(env, store)).toBe('svcd_a');
  });

  it.each(['http://store.example', 'http://localhost.example', 'http://127.0.0.1.example'])(
    'does not for %s, unless told that the network is trusted',
    (store) => {
      expect(() => requireToken(env, store)).toThrow('use https');
      expect(requireToken({ ...env, SVC_INSECURE_HTTP: '1' }, store)).toBe('svcd_a');
    },
  );
});
