import { describe, expect, it } from 'vitest';
import { falseProvider, type Lies } from '../../support/false-provider.ts';
import { beginAt, openStoreWith } from '../../support/store-with-providers.ts';

const WRONG: [string, Lies][] = [
  ['for another browser', { claims: { nonce: 'A'.repeat(43) } }],
  ['without a nonce', { claims: { nonce: undefined } }],
  ['for another client', { claims: { aud: 'another-client' } }],
  ['for several clients, issued to another', { claims: { aud: ['svc-store', 'other'], azp: 'other' } }],
  ['of another issuer', { claims: { iss: 'https://evil.example' } }],
  ['that has expired', { claims: { exp: Math.floor(Date.now() / 1000) - 3600 } }],
  ['without a subject', { claims: { sub: undefined } }],
  ['signed with an unknown key', { foreignKey: true }],
];

describe('a sign-in with an OpenID provider', () => {
  it('succeeds with a valid ID token', async () => {
    const provider = await falseProvider();
    const store = await openStoreWith(provider.settings);
    const { browser, location } = await beginAt(store, 'false');
    expect((await browser.open(provider.comeBack(location))).status).toBe(303);
  });

  it.each(WRONG)('is rejected with an ID token %s', async (_what, lies) => {
    const provider = await falseProvider();
    const store = await openStoreWith(provider.settings);
    const { browser, location } = await beginAt(store, 'false');
    const back = provider.comeBack(location);
    provider.lie(lies);
    const answer = await browser.open(back);
    expect([answer.status, browser.session()]).toEqual([403, undefined]);
    expect(store.lines.join('\n')).not.toContain('unexpectedly');
  });

  it('answers 503 while discovery fails, loads the metadata again later, and caches it', async () => {
    const provider = await falseProvider();
    const store = await openStoreWith(provider.settings);
    expect(provider.asked()).toBe(0);
    provider.lie({ status: 500 });
    const failed = await beginAt(store, 'false');
    expect([failed.answer.status, failed.answer.headers.get('retry-after')]).toEqual([503, '10']);
    provider.lie({});
    expect((await beginAt(store, 'false')).answer.status).toBe(303);
    const asked = provider.asked();
    await beginAt(store, 'false');
    expect(provider.asked()).toBe(asked);
  });

  it('answers 503 when the token request fails', async () => {
    const provider = await falseProvider();
    const store = await openStoreWith(provider.settings);
    const { browser, location } = await beginAt(store, 'false');
    provider.lie({ status: 502 });
    expect((await browser.open(provider.comeBack(location))).status).toBe(503);
  });

  it('answers 503 when the provider is unreachable', async () => {
    const provider = await falseProvider();
    const store = await openStoreWith({ ...provider.settings, issuer: 'http://localhost:1' });
    const { answer } = await beginAt(store, 'false');
    expect(answer.status).toBe(503);
    const secrets = [provider.settings.clientSecret];
    for (const secret of secrets) expect(store.lines.join('\n')).not.toContain(secret);
  });

  it('answers 503 when the issuer in the metadata is another one', async () => {
    const provider = await falseProvider();
    const store = await openStoreWith({ ...provider.settings, issuer: `${provider.issuer}/other` });
    expect((await beginAt(store, 'false')).answer.status).toBe(503);
  });
});
