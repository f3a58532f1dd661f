import { describe, expect, it } from 'vitest';
import { ANNA, browserAt } from '../../support/browser.ts';
import { contentsOf } from '../../support/database.ts';
import { openIdProvider } from '../../support/open-id.ts';
import { beginAt, openStoreWith } from '../../support/store-with-providers.ts';
import { bodyOf, jsonOf, type TestStore } from '../../support/test-store.ts';

const ACCOUNTS = {
  'subject-1': { name: 'Anna Ash', email: 'Anna@example.com', email_verified: true },
  'subject-2': { name: 'Ben', email: 'ben@example.com', email_verified: false },
  'subject-3': { preferred_username: 'cleo' },
  'subject-4': { name: 'Da\u202En\u200B\nRossi\u001b[2J', preferred_username: 'dan' },
  'subject-5': { name: '\u200B\u202E', preferred_username: 'eve' },
};

async function opened() {
  const provider = await openIdProvider('acme', ACCOUNTS);
  return { provider, store: await openStoreWith(provider.settings) };
}

type Opened = Awaited<ReturnType<typeof opened>>;

async function signIn({ provider, store }: Opened, account = 'subject-1', next?: string) {
  const { browser, location } = await beginAt(store, 'acme', next);
  const answer = await browser.open(await provider.visit(location, account));
  return { browser, answer };
}

const meOf = (browser: ReturnType<typeof browserAt>) => bodyOf(browser.send('GET', '/api/people/me'));

/** A browser that is signed in as anna, in a store that has a provider. */
async function signedInBrowser(store: TestStore, email = ANNA.email) {
  const session = await store.signedIn('anna');
  await store.stores.people.change('anna', { email });
  const browser = browserAt(store);
  browser.cookies.set('__Host-svc-session', session.cookie.split('=')[1] as string);
  await browser.open('/api/people/me');
  return browser;
}

describe('an account at a provider', () => {
  it('creates a user at the first sign-in, and signs in the same user afterwards', async () => {
    const all = await opened();
    const first = await signIn(all, 'subject-1', '/account?from=acme');
    expect([first.answer.status, first.answer.headers.get('location')]).toEqual([303, '/account?from=acme']);
    const me = await meOf(first.browser);
    expect(me).toMatchObject({
      ...{ name: 'Anna Ash', email: 'anna@example.com', emailVerified: true, role: 'person' },
      ...{ hasPassword: false, identities: [{ provider: 'The acme', account: 'anna@example.com' }] },
    });
    const second = await signIn(all);
    expect((await meOf(second.browser)).id).toBe(me.id);
    expect(second.browser.session()).not.toBe(first.browser.session());
  });

  it('provides an email address only if the provider has verified it', async () => {
    const all = await opened();
    const { browser } = await signIn(all, 'subject-2');
    expect(await meOf(browser)).toMatchObject({ name: 'Ben', email: null, emailVerified: false });
    const other = await signIn(all, 'subject-3');
    expect(await meOf(other.browser)).toMatchObject({ name: 'cleo', email: null });
  });

  it('provides a name without control and invisible characters, or else preferred_username', async () => {
    const all = await opened();
    const { browser } = await signIn(all, 'subject-4');
    expect(await meOf(browser)).toMatchObject({ name: 'Da n Rossi [2J' });
    const other = await signIn(all, 'subject-5');
    expect((await meOf(other.browser)).name).toBe('eve');
  });

  it('is requested with PKCE, state and nonce, none of which is in the database', async () => {
    const { store } = await opened();
    const { browser, location } = await beginAt(store, 'acme');
    const query = Object.fromEntries(new URL(location).searchParams);
    expect(query).toMatchObject({
      ...{ response_type: 'code', code_challenge_method: 'S256', scope: 'openid profile email' },
      ...{ redirect_uri: 'https://store.test/sign-in/acme/callback' },
    });
    const cookie = browser.cookies.get('__Host-svc-ceremony') as string;
    const held = await contentsOf(store.folder);
    for (const secret of [query.state, query.nonce, query.code_challenge, cookie.split('.')[0]]) {
      expect(secret).toHaveLength(43);
      expect(held).not.toContain(secret);
    }
  });

  it('does not sign in to an existing user with the same email address', async () => {
    const all = await opened();
    await signedInBrowser(all.store);
    const { browser, answer } = await signIn(all);
    expect([answer.status, browser.session()]).toEqual([409, undefined]);
    expect(await answer.text()).toContain('add this provider on your account');
    expect(await all.store.stores.identities.of('anna')).toEqual([]);
  });

  it('can be connected to an existing user, signs in from then on, and is not removed as the only way to sign in', async () => {
    const all = await opened();
    const browser = await signedInBrowser(all.store);
    const { url } = await jsonOf<{ url: string }>(browser.script('POST', '/api/people/me/identities/acme'));
    const added = await browser.open(await all.provider.visit(url, 'subject-1'));
    expect([added.status, added.headers.get('location')]).toEqual([303, '/account']);
    const { browser: other } = await signIn(all);
    const me = await meOf(other);
    expect(me.id).toBe('anna');
    await other.open('/api/people/me');
    const removed = await bodyOf(other.script('DELETE', `/api/people/me/identities/${me.identities[0].id}`));
    expect(removed).toMatchObject({ httpStatus: 403 });
  });

  it('is not connected to a second user, nor after the user has signed out', async () => {
    const all = await opened();
    await signIn(all, 'subject-2');
    const browser = await signedInBrowser(all.store);
    const begin = async () =>
      (await jsonOf<{ url: string }>(browser.script('POST', '/api/people/me/identities/acme'))).url;
    const taken = await browser.open(await all.provider.visit(await begin(), 'subject-2'));
    expect(taken.status).toBe(409);
    await browser.open('/api/people/me');
    const back = await all.provider.visit(await begin(), 'subject-1');
    browser.cookies.delete('__Host-svc-session');
    expect((await browser.open(back)).status).toBe(403);
    expect(await all.store.stores.identities.of('anna')).toEqual([]);
  });

  it('does not sign in a suspended user', async () => {
    const all = await opened();
    const { id } = await meOf((await signIn(all)).browser);
    await all.store.admin('PATCH', `/api/admin/people/${id}`, { suspended: true });
    const { browser, answer } = await signIn(all);
    expect([answer.status, browser.session()]).toEqual([403, undefined]);
  });

  it('creates one user for concurrent sign-ins', async () => {
    const all = await opened();
    const answers = await Promise.all([signIn(all), signIn(all), signIn(all)]);
    const people = await Promise.all(answers.map(async ({ browser }) => (await meOf(browser)).id));
    expect(new Set(people).size).toBe(1);
  });
});

describe('the callback of a provider', () => {
  it('is accepted once', async () => {
    const { provider, store } = await opened();
    const { browser, location } = await beginAt(store, 'acme');
    const cookie = browser.cookies.get('__Host-svc-ceremony') as string;
    const back = await provider.visit(location);
    expect((await browser.open(back)).status).toBe(303);
    const replayed = browserAt(store);
    replayed.cookies.set('__Host-svc-ceremony', cookie);
    expect((await replayed.open(back)).status).toBe(403);
    expect(replayed.session()).toBeUndefined();
  });

  it('is accepted only in the browser that began the sign-in', async () => {
    const { provider, store } = await opened();
    const { location } = await beginAt(store, 'acme');
    const back = await provider.visit(location);
    const victim = browserAt(store);
    expect((await victim.open(back)).status).toBe(403);
    // A browser that began its own sign-in has a different state (RFC 6749 section 10.12).
    const { browser: other } = await beginAt(store, 'acme');
    expect((await other.open(back)).status).toBe(403);
    expect([victim.session(), other.session()]).toEqual([undefined, undefined]);
  });

  it.each([
    ['a wrong state', (query: URLSearchParams) => query.set('state', 'A'.repeat(43))],
    ['no state', (query: URLSearchParams) => query.delete('state')],
    ['two states', (query: URLSearchParams) => query.append('state', 'x')],
    ['a wrong code', (query: URLSearchParams) => query.set('code', 'x')],
    ['no code', (query: URLSearchParams) => query.delete('code')],
    ['a wrong issuer', (query: URLSearchParams) => query.set('iss', 'https://evil.example')],
    ['no issuer, although the provider supports iss', (query: URLSearchParams) => query.delete('iss')],
    ['an error', (query: URLSearchParams) => query.set('error', 'access_denied')],
  ])('is refused with %s', async (_what, change) => {
    const { provider, store } = await opened();
    const { browser, location } = await beginAt(store, 'acme');
    const [path, search] = (await provider.visit(location)).split('?');
    const query = new URLSearchParams(search);
    change(query);
    const answer = await browser.open(`${path}?${query}`);
    expect([answer.status, browser.session()]).toEqual([403, undefined]);
    expect(store.lines.join('\n')).not.toContain('unexpectedly');
  });

  it('is refused at the callback of another provider (mix-up, RFC 9700 section 4.4)', async () => {
    const provider = await openIdProvider('acme', ACCOUNTS);
    const evil = await openIdProvider('evil', ACCOUNTS);
    const store = await openStoreWith(provider.settings, evil.settings);
    const { browser, location } = await beginAt(store, 'evil');
    const back = (await evil.visit(location)).replace('/sign-in/evil/', '/sign-in/acme/');
    expect((await browser.open(back)).status).toBe(403);
    expect((await browser.open(back)).status).toBe(403);
    expect(browser.session()).toBeUndefined();
  });

  it('is refused after five minutes', async () => {
    const { provider, store } = await opened();
    const { browser, location } = await beginAt(store, 'acme');
    const back = await provider.visit(location);
    store.advance(5 * 60_000);
    expect((await browser.open(back)).status).toBe(403);
  });

  it('never redirects to another site', async () => {
    const all = await opened();
    const { answer } = await signIn(all, 'subject-1', '//evil.example/');
    expect(answer.headers.get('location')).toBe('/account');
  });
});

describe('a store with a provider', () => {
  it('links to the provider on the sign-in page, and has no sign-up', async () => {
    const { store } = await opened();
    const browser = browserAt(store);
    const page = await (await browser.open('/sign-in?next=/a%26b')).text();
    expect(page).toContain('href="/sign-in/acme?next=%2Fa%26b"');
    expect(page).not.toContain('/sign-up');
    expect((await browser.open('/sign-up')).status).toBe(404);
    expect((await browser.submit('/sign-up', ANNA)).status).toBe(404);
    expect((await browser.open('/sign-in/other')).status).toBe(404);
    expect((await browser.open('/sign-in/other/callback?code=x')).status).toBe(404);
  });

  it('refuses to set a first password', async () => {
    const { store } = await opened();
    const session = await store.signedIn('ben');
    const json = { password: 'four words of ben' };
    const answer = await bodyOf(store.call('PUT', '/api/people/me/password', { session, json }));
    expect(answer).toMatchObject({ httpStatus: 403 });
  });

  it('is set up by a user who signs in at the provider', async () => {
    const { provider, store } = await opened();
    const { pathname, search, searchParams } = new URL((await store.setupLink()) ?? '');
    const key = searchParams.get('key') ?? '';
    const browser = browserAt(store);
    const page = await (await browser.open(pathname + search)).text();
    expect(page).not.toContain('name="password"');
    await browser.open('/sign-in');
    expect((await browser.submit('/setup', { key, ...ANNA })).status).toBe(400);
    const [, href = ''] = /href="(\/sign-in\/acme[^"]+)"/.exec(page) ?? [];
    const { headers } = await browser.open(href.replaceAll('&amp;', '&'));
    expect(await contentsOf(store.folder)).not.toContain(key);
    const back = await browser.open(await provider.visit(headers.get('location') ?? ''));
    expect(back.headers.get('location')).toBe(pathname + search);
    await browser.open(pathname + search);
    expect((await browser.submit('/setup', { key })).status).toBe(303);
    expect(await meOf(browser)).toMatchObject({ role: 'administrator' });
  });
});
