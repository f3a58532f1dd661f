import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../support/authenticator.ts';
import { ANNA, browserAt, signUpAt, type TestBrowser } from '../../support/browser.ts';
import { bodyOf, jsonOf, openTestStore } from '../../support/test-store.ts';

async function attempt(store: Awaited<ReturnType<typeof openTestStore>>, fields: Partial<typeof ANNA>) {
  const browser = browserAt(store);
  await browser.open('/sign-up');
  const answer = await browser.submit('/sign-up', { ...ANNA, ...fields });
  return { browser, answer };
}

describe('signing up', () => {
  it('creates a user without privileges, and signs the user in', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const me = await bodyOf(browser.send('GET', '/api/people/me'));
    expect(me).toMatchObject({ role: 'person', hasPassword: true, memberships: [], emailVerified: false });
    expect((await browser.send('GET', '/api/admin/people')).status).toBe(403);
  });

  it('refuses an email address that is in use, in upper or lower case, without revealing the user', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const { browser, answer } = await attempt(store, { email: 'ANNA@example.com', name: 'Eve' });
    expect([answer.status, browser.session()]).toEqual([409, undefined]);
    const text = await answer.text();
    expect(text).toContain('No account was created with this email address.');
    expect(text).not.toContain('Anna Ash');
  });

  it('creates one user for five concurrent forms with the same email address', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    const attempts = await Promise.all(Array.from({ length: 5 }, () => attempt(store, {})));
    expect(attempts.map(({ answer }) => answer.status).sort()).toEqual([303, 409, 409, 409, 409]);
  });

  it.each([
    ['short', 'elevenchars', '12 to 200'],
    ['made of few different characters', 'abcdabcdabcdabcd', '5 different'],
    ['the email address', 'Anna@example.com', 'must not be your name'],
    ['the name', 'Anna Archibald Ash', 'must not be your name'],
  ])('refuses a password that is %s', async (_what, password, message) => {
    const store = await openTestStore();
    const { answer } = await attempt(store, { password, name: 'Anna Archibald Ash' });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(message)]);
    expect(await store.stores.people.findByEmail(ANNA.email)).toBeNull();
  });

  it.each([
    ['name', ''],
    ['name', 'a\u0000b'],
    ['name', 'x'.repeat(81)],
    ['email', 'nobody'],
    ['email', `${'a'.repeat(250)}@example.com`],
    ['password', 'x1y2z'.repeat(41)],
  ])('refuses the %s %.20j', async (field, value) => {
    const store = await openTestStore();
    expect((await attempt(store, { [field]: value })).answer.status).toBe(400);
    expect((await store.stores.people.search({ after: null, limit: 1 })).rows).toEqual([]);
  });

  it('escapes the name of the user', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store, { ...ANNA, name: '<script>alert(1)</script>' });
    const page = await (await browser.open('/sign-in')).text();
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toContain('<script>alert');
  });

  it('is not limited by the sign-ups of others in the network, and to ten tries with one address', async () => {
    const store = await openTestStore();
    for (let i = 0; i < 12; i += 1)
      expect((await attempt(store, { email: `p${i}@example.com` })).answer.status).toBe(303);
    const again = async () => (await attempt(store, { email: 'p0@example.com' })).answer.status;
    for (let i = 0; i < 10; i += 1) expect(await again()).toBe(409);
    expect(await again()).toBe(429);
  });
});

describe('signing up with a passkey', () => {
  const WHO = { name: 'Berta Birk', email: 'berta@example.com' };

  async function begun(
    store: Awaited<ReturnType<typeof openTestStore>>,
    device = createAuthenticator(),
    who = WHO,
  ) {
    const browser = browserAt(store);
    await browser.open('/sign-up');
    const asked = await browser.script('POST', '/api/sign-up/passkey/options', who);
    expect(asked.status).toBe(200);
    const credential = device.create(await jsonOf(Promise.resolve(asked)));
    return { browser, credential };
  }
  const finish = (browser: TestBrowser, credential: object, who = WHO) =>
    browser.script('POST', '/api/sign-up/passkey', { ...who, credential });

  it('creates a user without a password, who signs in with it again', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    const device = createAuthenticator();
    const { browser, credential } = await begun(store, device);
    const answer = await finish(browser, credential);
    expect(await bodyOf(answer)).toEqual({ httpStatus: 201, url: '/account' });
    expect(await bodyOf(browser.send('GET', '/api/people/me'))).toMatchObject({
      ...WHO,
      ...{ role: 'person', hasPassword: false, emailVerified: false },
      passkeys: [{ id: device.id, label: 'First passkey' }],
    });
    const again = browserAt(store);
    await again.open('/sign-in');
    const options = await jsonOf<{ challenge: string }>(again.script('POST', '/api/sign-in/passkey/options'));
    const signedIn = await again.script('POST', '/api/sign-in/passkey', { credential: device.get(options) });
    expect(signedIn.status).toBe(200);
  });

  it('refuses a name or an address before a device creates anything', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const browser = browserAt(store);
    await browser.open('/sign-up');
    const ask = async (who: object) =>
      (await browser.script('POST', '/api/sign-up/passkey/options', { ...WHO, ...who })).status;
    expect(await ask({ email: 'ANNA@example.com' })).toBe(409);
    expect(await ask({ name: 'Administrator' })).toBe(400);
    expect(await ask({ email: 'nothing' })).toBe(400);
  });

  it('counts once, and in the browser in which it began', async () => {
    const store = await openTestStore();
    const { browser, credential } = await begun(store);
    expect((await finish(browserAt(store), credential)).status).toBe(403);
    const thief = browserAt(store);
    await thief.open('/sign-up');
    expect((await finish(thief, credential)).status).toBe(403);
    expect((await finish(browser, credential)).status).toBe(201);
    expect((await finish(browser, credential, { ...WHO, email: 'other@example.com' })).status).toBe(403);
  });

  it('refuses the passkey of another account, and leaves no account behind', async () => {
    const store = await openTestStore();
    const device = createAuthenticator();
    const first = await begun(store, device);
    expect((await finish(first.browser, first.credential)).status).toBe(201);
    const other = { name: 'Carla Cole', email: 'carla@example.com' };
    const second = await begun(store, device, other);
    expect((await finish(second.browser, second.credential, other)).status).toBe(409);
    expect(await store.stores.people.findByEmail(other.email)).toBe(null);
  });

  it('creates one user for five at once with the same email address', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    const all = await Promise.all(Array.from({ length: 5 }, () => begun(store)));
    const answers = await Promise.all(all.map(({ browser, credential }) => finish(browser, credential)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });
});
