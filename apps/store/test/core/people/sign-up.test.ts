import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAuthenticator } from '../../support/authenticator.ts';
import { ANNA, browserAt, signUpAt, type TestBrowser } from '../../support/browser.ts';
import { contentsOf } from '../../support/database.ts';
import { has } from '../../support/extensions.ts';
import { BASE_URL, bodyOf, jsonOf, openTestStore, type TestStore } from '../../support/test-store.ts';

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

async function pathOf(store: TestStore): Promise<string> {
  const { pathname, search } = new URL((await store.setupLink()) ?? '');
  return pathname + search;
}

const keyIn = (path: string): string => new URL(path, 'https://store.test').searchParams.get('key') ?? '';

/** What a form that is shown again says of a field. */
const faultIn = (page: string, field: string) =>
  new RegExp(
    `<input id="${field}"[^>]* aria-invalid="true"[^>]*><p class="fault" id="${field}-fault" role="alert">([^<]+)</p>`,
  ).exec(page)?.[1];

describe('a refused form', () => {
  /** The form of the setup, sent with a name that is refused. */
  async function refused() {
    const store = await openTestStore();
    const browser = browserAt(store);
    const path = await pathOf(store);
    await browser.open(path);
    const key = keyIn(path);
    const answer = await browser.submit('/setup', { key, ...ANNA, name: 'Ada Administrator' });
    return { store, browser, key, status: answer.status, page: await answer.text() };
  }
  const keptIn = (page: string) => /name="kept" value="([^"]+)"/.exec(page)?.[1] ?? '';

  it('names the word at its field, and keeps the password without showing it', async () => {
    const { browser, key, status, page } = await refused();
    expect(status).toBe(400);
    expect(faultIn(page, 'name')).toContain('“administrator”');
    expect(page).toContain('value="Ada Administrator"');
    expect(page).not.toContain(ANNA.password);
    const done = await browser.submit('/setup', { key, ...ANNA, password: '', kept: keptIn(page) });
    expect(done.status).toBe(303);
  });

  it('signs in with the kept password afterwards', async () => {
    const { store, browser, key, page } = await refused();
    await browser.submit('/setup', { key, ...ANNA, password: '', kept: keptIn(page) });
    const other = browserAt(store);
    await other.open('/sign-in');
    const { email, password } = ANNA;
    expect((await other.submit('/sign-in', { email, password })).status).toBe(303);
  });

  it.each(['another browser', 'ten minutes later', 'a changed text'])(
    'asks for the password again in %s',
    async (what) => {
      const { store, browser, key, page } = await refused();
      if (what === 'ten minutes later') store.advance(10 * 60_000 + 1);
      const kept = what === 'a changed text' ? `${keptIn(page).slice(0, -4)}AAAA` : keptIn(page);
      const by = what === 'another browser' ? browserAt(store) : browser;
      await by.open(`/setup?${new URLSearchParams({ key })}`);
      const answer = await by.submit('/setup', { key, ...ANNA, password: '', kept });
      const text = await answer.text();
      expect([answer.status, faultIn(text, 'password')]).toEqual([400, 'Enter a password.']);
      expect(keptIn(text)).toBe('');
    },
  );

  it('does not keep a password that is itself refused, and says so at its field', async () => {
    const store = await openTestStore();
    const { answer } = await attempt(store, { password: 'short' });
    const page = await answer.text();
    expect(faultIn(page, 'password')).toContain('12 to 200');
    expect(keptIn(page)).toBe('');
  });

  it('keeps the longest password with the letters that JSON escapes', async () => {
    const store = await openTestStore();
    const password = `\u2028"\\é😀${'"\\'.repeat(80)}`;
    const { browser, answer } = await attempt(store, { password, name: 'Moderator' });
    const kept = keptIn(await answer.text());
    const done = await browser.submit('/sign-up', { ...ANNA, password: '', kept });
    expect(done.status).toBe(303);
  });

  it('says at the email address that it is taken', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const page = await (await attempt(store, { name: 'Eve' })).answer.text();
    expect(faultIn(page, 'email')).toContain('No account was created with this email address.');
  });
});

describe('the access page after the setup', () => {
  async function administrator(environment: Record<string, string> = {}) {
    const store = await openTestStore({ environment });
    const path = await pathOf(store);
    const browser = browserAt(store);
    await browser.open(path);
    const done = await browser.submit('/setup', { key: keyIn(path), ...ANNA });
    await browser.open(done.headers.get('location') ?? '');
    const next = has('brand') ? await browser.submit('/setup/brand', { first: '', name: 'Acme Apps' }) : done;
    const page = await (await browser.open(next.headers.get('location') ?? '')).text();
    return { store, browser, page };
  }

  it('asks who may sign up, publish and read, and applies the choice', async () => {
    const { store, browser, page } = await administrator();
    expect(page).toContain('Who can create an account?');
    expect((await store.call('GET', '/api/apps/catalog')).status).toBe(200);
    const chosen = { signUp: 'closed', publishers: 'approved', read: 'members' };
    const saved = await browser.submit('/setup/access', chosen);
    expect([saved.status, saved.headers.get('location')]).toEqual([303, '/admin']);
    expect((await store.call('GET', '/api/apps/catalog')).status).toBe(401);
    expect((await browserAt(store).open('/sign-up')).status).toBe(403);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=access.change'));
    expect(entries).toMatchObject([{ action: 'access.change', detail: chosen }]);
  });

  it('does not override a rule that an environment variable sets', async () => {
    const { store, browser, page } = await administrator({ SVC_READ: 'members' });
    expect(page).toContain('Set by <code>SVC_READ</code>.');
    await browser.submit('/setup/access', { read: 'public', signUp: 'invited' });
    expect((await store.call('GET', '/api/apps/catalog')).status).toBe(401);
    expect((await browserAt(store).open('/sign-up')).status).toBe(403);
  });

  it('offers rules that belong together, and leaves out those that a setting contradicts', async () => {
    const { store, browser, page } = await administrator();
    expect(page).toContain(has('brand') ? 'Step 3 of 3' : 'Step 2 of 2');
    if (has('brand')) expect(page).toContain('<bdi>Acme Apps</bdi>');
    const offered = (text: string) =>
      [...text.matchAll(/name="preset" value="(\w+)"( checked)?/g)].map(([, id, isIt]) => [
        id,
        isIt !== undefined,
      ]);
    const all = (inForce: string) =>
      ['public', 'company', 'private', 'custom'].map((id) => [id, id === inForce]);
    expect(offered(page)).toEqual(all('public'));
    // The rules of the form are those of *Custom*.
    await browser.submit('/setup/access', { preset: 'company', signUp: 'open', read: 'public' });
    const company = await (await browser.open('/setup/access')).text();
    expect(offered(company)).toEqual(all('company'));
    expect(company).not.toContain('who may use the store');
    expect((await store.call('GET', '/api/apps/catalog')).status).toBe(401);
    await browser.submit('/setup/access', { preset: 'custom', signUp: 'open', read: 'public' });
    expect(offered(await (await browser.open('/setup/access')).text())).toEqual(all('custom'));
    const given = await administrator({ SVC_READ: 'members' });
    expect(given.page).not.toContain('Public store');
    expect(offered(given.page).map(([id]) => id)).toEqual(['company', 'private', 'custom']);
  });

  it('refuses an unknown rule or value', async () => {
    const { browser } = await administrator();
    expect((await browser.submit('/setup/access', { read: 'everything' })).status).toBe(400);
    expect((await browser.submit('/setup/access', { other: 'open' })).status).toBe(400);
    expect((await browser.submit('/setup/access', { preset: 'open' })).status).toBe(400);
  });
});

describe('the setup link', () => {
  it('makes the first user who completes it administrator, and then stops working', async () => {
    const store = await openTestStore();
    const path = await pathOf(store);
    const browser = browserAt(store);
    expect((await browser.open(path)).status).toBe(200);
    const done = await browser.submit('/setup', { key: keyIn(path), ...ANNA });
    expect([done.status, done.headers.get('location')]).toEqual([
      303,
      has('brand') ? '/setup/brand?first' : '/setup/access?first',
    ]);
    expect(await bodyOf(browser.send('GET', '/api/people/me'))).toMatchObject({ role: 'administrator' });
    expect((await browser.send('GET', '/api/admin/audit')).status).toBe(200);
    expect(await store.setupLink()).toBeNull();
    expect((await browser.open(path)).status).toBe(404);
    await browser.open('/api/people/me');
    const again = await browser.submit('/setup', { key: keyIn(path), ...ANNA, email: 'ben@example.com' });
    expect(again.status).toBe(404);
  });

  it('makes one administrator with concurrent requests', async () => {
    const store = await openTestStore();
    const path = await pathOf(store);
    const browsers = [1, 2, 3, 4, 5].map(() => browserAt(store));
    await Promise.all(browsers.map((browser) => browser.open(path)));
    const answers = await Promise.all(
      browsers.map((browser, i) =>
        browser.submit('/setup', { key: keyIn(path), ...ANNA, email: `person${i}@example.com` }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404, 404]);
    const { people } = await bodyOf(store.admin('GET', '/api/admin/people'));
    expect(people).toMatchObject([{ role: 'administrator' }]);
  });

  it('makes a signed-in user administrator after a confirmation', async () => {
    const store = await openTestStore();
    const path = await pathOf(store);
    const session = await store.signedIn('anna');
    const browser = browserAt(store);
    browser.cookies.set('__Host-svc-session', session.cookie.split('=')[1] as string);
    expect(await (await browser.open(path)).text()).toContain('You are signed in as anna.');
    expect(await store.setupLink()).not.toBeNull();
    expect((await browser.submit('/setup', { key: keyIn(path) })).status).toBe(303);
    expect(await store.stores.people.find('anna')).toMatchObject({ role: 'administrator' });
  });

  it('answers 404 without its key, and explains where the complete link is', async () => {
    const store = await openTestStore();
    const answer = await browserAt(store).open('/setup');
    const page = await answer.text();
    expect([answer.status, page]).toEqual([
      404,
      expect.stringContaining('the complete link that the store writes to its log'),
    ]);
    expect(page).toContain('href="/sign-in"');
    expect(page).not.toContain('Invalid input');
  });

  it.each(['', 'x', 'A'.repeat(43)])('answers 404 for the wrong key %j', async (key) => {
    const store = await openTestStore();
    const browser = browserAt(store);
    await browser.open('/sign-in');
    expect((await browser.open(`/setup?key=${key}`)).status).toBe(404);
    expect((await browser.submit('/setup', { key, ...ANNA })).status).toBe(404);
    expect(await store.stores.people.hasAdministrator()).toBe(false);
  });

  it('requires the CSRF token of its page', async () => {
    const store = await openTestStore();
    const path = await pathOf(store);
    const browser = browserAt(store);
    await browser.open(path);
    const body = String(new URLSearchParams({ key: keyIn(path), ...ANNA }));
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await browser.send('POST', '/setup', { body, headers })).status).toBe(403);
    expect(await store.stores.people.hasAdministrator()).toBe(false);
  });

  it('is refused from another site, also with the CSRF token of its page', async () => {
    const store = await openTestStore();
    const path = await pathOf(store);
    const browser = browserAt(store);
    const page = await (await browser.open(path)).text();
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const body = String(new URLSearchParams({ csrf, key: keyIn(path), ...ANNA }));
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const submitFrom = async (origin: string) =>
      (await browser.send('POST', '/setup', { body, headers: { ...type, origin } })).status;
    expect(await submitFrom('https://evil.example')).toBe(403);
    expect(await store.stores.people.hasAdministrator()).toBe(false);
    expect(await submitFrom(BASE_URL)).toBe(303);
  });

  it('refuses a weak password, and keeps the entered email address', async () => {
    const store = await openTestStore();
    const path = await pathOf(store);
    const browser = browserAt(store);
    await browser.open(path);
    const answer = await browser.submit('/setup', { key: keyIn(path), ...ANNA, password: 'short' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('value="anna@example.com"');
    expect(await store.stores.people.hasAdministrator()).toBe(false);
  });

  it('differs between databases, even with the same signing key', async () => {
    const store = await openTestStore();
    const key = join(store.folder, 'keys', 'signing-key.pem');
    const copy = join(await mkdtemp(join(tmpdir(), 'svc-key-')), 'signing-key.pem');
    onTestFinished(() => rm(dirname(copy), { recursive: true, force: true }));
    await cp(key, copy);
    const other = await openTestStore({ environment: { SVC_SIGNING_KEY_FILE: copy } });
    expect(other.keyId).toBe(store.keyId);
    expect(keyIn(await pathOf(other))).not.toBe(keyIn(await pathOf(store)));
  });

  it('is the same in every process, and opening it writes the key to neither the database nor the log', async () => {
    const store = await openTestStore();
    const key = keyIn(await pathOf(store));
    const other = await openTestStore({ folder: store.folder });
    expect(keyIn(await pathOf(other))).toBe(key);
    await browserAt(store).open(await pathOf(store));
    expect(await contentsOf(store.folder)).not.toContain(key);
    expect(store.lines.join('\n')).not.toContain(key);
  });
});
