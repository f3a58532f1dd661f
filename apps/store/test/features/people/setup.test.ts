import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ANNA, browserAt } from '../../support/browser.ts';
import { contentsOf } from '../../support/database.ts';
import { BASE_URL, bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

async function pathOf(store: TestStore): Promise<string> {
  const { pathname, search } = new URL((await store.setupLink()) ?? '');
  return pathname + search;
}

const keyIn = (path: string): string => new URL(path, 'https://store.test').searchParams.get('key') ?? '';

describe('the access page after the setup', () => {
  async function administrator(environment: Record<string, string> = {}) {
    const store = await openTestStore({ environment });
    const path = await pathOf(store);
    const browser = browserAt(store);
    await browser.open(path);
    const done = await browser.submit('/setup', { key: keyIn(path), ...ANNA });
    await browser.open(done.headers.get('location') ?? '');
    const named = await browser.submit('/setup/brand', { first: '', name: 'Acme Apps' });
    const page = await (await browser.open(named.headers.get('location') ?? '')).text();
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
    const { browser, page } = await administrator();
    expect(page).toContain('Step 3 of 3');
    expect(page).toContain('<bdi>Acme Apps</bdi>');
    expect(page.match(/Use for this store/g)).toHaveLength(2);
    await browser.submit('/setup/access', { signUp: 'invited', publishers: 'approved', read: 'members' });
    const company = await (await browser.open('/setup/access')).text();
    expect(company).toMatch(/Company store<\/h2>[\s\S]*?These rules are in force[\s\S]*?Private store/);
    expect(company).not.toContain('Step 3 of 3');
    const given = await administrator({ SVC_READ: 'members' });
    expect(given.page).not.toContain('Public store');
    expect(given.page.match(/Use for this store/g)).toHaveLength(2);
  });

  it('refuses an unknown rule or value', async () => {
    const { browser } = await administrator();
    expect((await browser.submit('/setup/access', { read: 'everything' })).status).toBe(400);
    expect((await browser.submit('/setup/access', { other: 'open' })).status).toBe(400);
  });
});

describe('the setup link', () => {
  it('makes the first user who completes it administrator, and then stops working', async () => {
    const store = await openTestStore();
    const path = await pathOf(store);
    const browser = browserAt(store);
    expect((await browser.open(path)).status).toBe(200);
    const done = await browser.submit('/setup', { key: keyIn(path), ...ANNA });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/setup/brand?first']);
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
