import { describe, expect, it } from 'vitest';
import { fakeGitHub } from '../../support/fake-github.ts';
import { falseProvider, type Lies } from '../../support/false-provider.ts';
import { beginAt, openStoreWith } from '../../support/store-with-providers.ts';
import { bodyOf } from '../../support/test-store.ts';

const OCTOCAT = { id: 583_231, login: 'octocat', name: null };
const EMAILS = [
  { email: 'old@example.com', primary: false, verified: true },
  { email: 'Octocat@Example.com', primary: true, verified: true },
];

async function opened(emails = EMAILS) {
  const github = await fakeGitHub(OCTOCAT, emails);
  const store = await openStoreWith(github.settings);
  const signIn = async () => {
    const { browser, location } = await beginAt(store, 'github');
    return { browser, answer: await browser.open(github.comeBack(location)) };
  };
  return { github, store, signIn };
}

describe('a sign-in with GitHub', () => {
  it('returns the account with its primary email address', async () => {
    const { signIn } = await opened();
    const { browser, answer } = await signIn();
    expect(answer.status).toBe(303);
    expect(await bodyOf(browser.send('GET', '/api/people/me'))).toMatchObject({
      ...{ name: 'octocat', email: 'octocat@example.com', emailVerified: true },
      identities: [{ provider: 'GitHub', account: 'octocat' }],
    });
  });

  it('identifies an account by its numeric id, not by its login', async () => {
    const { github, signIn } = await opened();
    const first = await bodyOf((await signIn()).browser.send('GET', '/api/people/me'));
    github.state.user = { ...OCTOCAT, login: 'renamed' };
    expect((await bodyOf((await signIn()).browser.send('GET', '/api/people/me'))).id).toBe(first.id);
    github.state.user = { ...OCTOCAT, id: 2 };
    github.state.emails = [];
    const other = await bodyOf((await signIn()).browser.send('GET', '/api/people/me'));
    expect(other).toMatchObject({ httpStatus: 200, email: null });
    expect(other.id).not.toBe(first.id);
  });

  it('ignores an unverified email address', async () => {
    const { signIn } = await opened([{ email: 'a@example.com', primary: true, verified: false }]);
    const { browser } = await signIn();
    expect(await bodyOf(browser.send('GET', '/api/people/me'))).toMatchObject({ email: null });
  });

  it('is rejected with the state of another browser, or a code for another PKCE verifier', async () => {
    const { github, store } = await opened();
    const { browser, location } = await beginAt(store, 'github');
    const other = await beginAt(store, 'github');
    const stolen = github.comeBack(other.location);
    expect((await browser.open(stolen)).status).toBe(403);
    // The right state, but a code that was issued for another verifier.
    const again = await beginAt(store, 'github');
    const back = github.comeBack(again.location);
    github.comeBack(location);
    expect((await again.browser.open(back)).status).toBe(403);
    expect([browser.session(), again.browser.session()]).toEqual([undefined, undefined]);
  });

  it.each([401, 403, 404])('is rejected when GitHub answers %d', async (status) => {
    const { github, signIn } = await opened();
    github.state.status = status;
    expect((await signIn()).answer.status).toBe(403);
  });

  it('answers 503 when GitHub answers 500', async () => {
    const { github, signIn } = await opened();
    github.state.status = 500;
    expect((await signIn()).answer.status).toBe(503);
  });
});

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
    expect(await failed.answer.text()).toContain('cannot be reached: try again in 10 seconds.');
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
