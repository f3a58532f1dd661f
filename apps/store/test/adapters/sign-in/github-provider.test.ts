import { describe, expect, it } from 'vitest';
import { fakeGitHub } from '../../support/fake-github.ts';
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

describe('GitHub', () => {
  it('says who somebody is, with the email address it calls primary', async () => {
    const { signIn } = await opened();
    const { browser, answer } = await signIn();
    expect(answer.status).toBe(303);
    expect(await bodyOf(browser.send('GET', '/api/people/me'))).toMatchObject({
      ...{ name: 'octocat', email: 'octocat@example.com', emailVerified: true },
      identities: [{ provider: 'GitHub', account: 'octocat' }],
    });
  });

  it('knows people by their number, whoever has their login by now', async () => {
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

  it('has not verified an email address that it says it has not', async () => {
    const { signIn } = await opened([{ email: 'a@example.com', primary: true, verified: false }]);
    const { browser } = await signIn();
    expect(await bodyOf(browser.send('GET', '/api/people/me'))).toMatchObject({ email: null });
  });

  it('is not believed when another state comes back, or the code is not for this browser', async () => {
    const { github, store } = await opened();
    const { browser, location } = await beginAt(store, 'github');
    const other = await beginAt(store, 'github');
    const stolen = github.comeBack(other.location);
    expect((await browser.open(stolen)).status).toBe(403);
    // With the right state, but a code that was given for another verifier.
    const again = await beginAt(store, 'github');
    const back = github.comeBack(again.location);
    github.comeBack(location);
    expect((await again.browser.open(back)).status).toBe(403);
    expect([browser.session(), again.browser.session()]).toEqual([undefined, undefined]);
  });

  it.each([401, 403, 404])('that answers %d does not say who somebody is', async (status) => {
    const { github, signIn } = await opened();
    github.state.status = status;
    expect((await signIn()).answer.status).toBe(403);
  });

  it('that fails is said to be away', async () => {
    const { github, signIn } = await opened();
    github.state.status = 500;
    expect((await signIn()).answer.status).toBe(503);
  });
});
