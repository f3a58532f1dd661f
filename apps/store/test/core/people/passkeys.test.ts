import { describe, expect, it } from 'vitest';
import { createAuthenticator, type Forgery } from '../../support/authenticator.ts';
import { ANNA, browserAt, signUpAt, type TestBrowser } from '../../support/browser.ts';
import { contentsOf } from '../../support/database.ts';
import { bodyOf, jsonOf, openTestStore, type TestStore } from '../../support/test-store.ts';

type Device = ReturnType<typeof createAuthenticator>;
type Options = { challenge: string; user: { id: string } };

const MINE = '/api/people/me/passkeys';
const CEREMONY = '__Host-svc-ceremony';

const optionsFor = (browser: TestBrowser, path: string) => jsonOf<Options>(browser.script('POST', path));

async function add(browser: TestBrowser, device: Device, forgery?: Forgery): Promise<Response> {
  const credential = device.create(await optionsFor(browser, `${MINE}/options`), forgery);
  return browser.script('POST', MINE, { label: 'My phone', credential });
}

async function signIn(store: TestStore, device: Device, forgery?: Forgery) {
  const browser = browserAt(store);
  await browser.open('/sign-in');
  const credential = device.get(await optionsFor(browser, '/api/sign-in/passkey/options'), forgery);
  return {
    browser,
    credential,
    answer: await browser.script('POST', '/api/sign-in/passkey', { credential }),
  };
}

/** A store with a user who has a passkey. */
async function annaWithPasskey() {
  const store = await openTestStore();
  const browser = await signUpAt(store);
  const device = createAuthenticator();
  expect((await add(browser, device)).status).toBe(201);
  return { store, browser, device };
}

describe('a passkey', () => {
  it('signs in without a typed user name or password', async () => {
    const { store, device } = await annaWithPasskey();
    const { browser, answer } = await signIn(store, device);
    expect(await bodyOf(answer)).toEqual({ httpStatus: 200, url: '/account' });
    const me = await bodyOf(browser.send('GET', '/api/people/me'));
    expect(me).toMatchObject({ email: ANNA.email, passkeys: [{ id: device.id, label: 'My phone' }] });
    expect(me.passkeys[0].lastUsedAt).toBe('2026-03-01T12:00:00.000Z');
  });

  it('is requested with user verification, as a discoverable credential', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const options = await bodyOf(browser.script('POST', `${MINE}/options`));
    expect(options).toMatchObject({
      rp: { id: 'store.test', name: 'svc app store' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const asked = await bodyOf(browser.script('POST', '/api/sign-in/passkey/options'));
    expect(asked).toMatchObject({ rpId: 'store.test', userVerification: 'required' });
    expect(asked.allowCredentials ?? []).toEqual([]);
  });

  it('has neither its challenge nor its ceremony cookie in the database', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const options = await optionsFor(browser, `${MINE}/options`);
    const [secret = ''] = (browser.cookies.get(CEREMONY) ?? '').split('.');
    expect(secret).toHaveLength(43);
    const credential = createAuthenticator().create(options);
    await browser.script('POST', MINE, { label: 'My phone', credential });
    const held = await contentsOf(store.folder);
    expect(held).toContain('My phone');
    expect(held).not.toContain(options.challenge);
    expect(held).not.toContain(secret);
  });

  const forgeries: [string, Forgery][] = [
    ['for another origin', { origin: 'https://evil.example' }],
    ['for another host', { host: 'evil.example' }],
    ['without user verification', { isVerified: false }],
    ['of another type', { type: 'payment.get' }],
    ['with a wrong challenge', { challenge: 'A'.repeat(43) }],
  ];

  it.each(forgeries)('%s is not added', async (_what, forgery) => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    expect(await bodyOf(add(browser, createAuthenticator(), forgery))).toMatchObject({
      httpStatus: 403,
      code: 'forbidden',
    });
    expect(await bodyOf(browser.send('GET', '/api/people/me'))).toMatchObject({ passkeys: [] });
  });

  it.each([
    ...forgeries,
    ['with another user handle', { userHandle: Buffer.from('somebody').toString('base64url') }],
    ['with an empty user handle', { userHandle: '' }],
    ['with a signature counter that did not increase', { counter: 1 }],
    ['with a signature counter of zero', { counter: 0 }],
  ] as [string, Forgery][])('%s does not sign in', async (_what, forgery) => {
    const { store, device } = await annaWithPasskey();
    const { browser, answer } = await signIn(store, device, forgery);
    expect(await bodyOf(answer)).toMatchObject({ httpStatus: 403, code: 'forbidden' });
    expect(browser.session()).toBeUndefined();
  });

  it('does not sign in if the store does not know it', async () => {
    const { store } = await annaWithPasskey();
    expect((await signIn(store, createAuthenticator())).answer.status).toBe(403);
  });

  it('is refused with the signature of another passkey', async () => {
    const { store, device } = await annaWithPasskey();
    const other = createAuthenticator();
    const browser = browserAt(store);
    await browser.open('/sign-in');
    const options = await optionsFor(browser, '/api/sign-in/passkey/options');
    const { response } = other.get(options, { userHandle: device.get(options).response.userHandle });
    const credential = { ...device.get(options), response };
    expect((await browser.script('POST', '/api/sign-in/passkey', { credential })).status).toBe(403);
  });

  it('answers a challenge once, only in the browser that requested it, within five minutes', async () => {
    const { store, device } = await annaWithPasskey();
    const { browser, credential } = await signIn(store, device);
    expect((await browser.script('POST', '/api/sign-in/passkey', { credential })).status).toBe(403);

    const asking = browserAt(store);
    await asking.open('/sign-in');
    const options = await optionsFor(asking, '/api/sign-in/passkey/options');
    const cookie = asking.cookies.get(CEREMONY) as string;
    const thief = browserAt(store);
    await thief.open('/sign-in');
    const stolen = { credential: device.get(options) };
    expect((await thief.script('POST', '/api/sign-in/passkey', stolen)).status).toBe(403);
    const answers = await Promise.all(
      [1, 2, 3].map(async () => {
        const same = browserAt(store);
        await same.open('/sign-in');
        same.cookies.set(CEREMONY, cookie);
        return same.script('POST', '/api/sign-in/passkey', { credential: device.get(options) });
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403]);

    await asking.open('/sign-in');
    const late = await optionsFor(asking, '/api/sign-in/passkey/options');
    store.advance(5 * 60_000);
    const credentialLate = { credential: device.get(late) };
    expect((await asking.script('POST', '/api/sign-in/passkey', credentialLate)).status).toBe(403);
  });

  it('is not added to another account with a copied ceremony cookie', async () => {
    const store = await openTestStore();
    const anna = await signUpAt(store);
    const ben = await signUpAt(store, { ...ANNA, email: 'ben@example.com' });
    const credential = createAuthenticator().create(await optionsFor(anna, `${MINE}/options`));
    ben.cookies.set(CEREMONY, anna.cookies.get(CEREMONY) as string);
    expect((await ben.script('POST', MINE, { label: 'x', credential })).status).toBe(403);
  });

  it('is not added with a challenge for signing in, and does not sign in with a challenge for adding', async () => {
    const { store, browser, device } = await annaWithPasskey();
    const options = await optionsFor(browser, '/api/sign-in/passkey/options');
    const credential = createAuthenticator().create({ ...options, user: { id: 'x' } });
    expect((await browser.script('POST', MINE, { label: 'x', credential })).status).toBe(403);
    await browser.open('/api/people/me');
    const added = await optionsFor(browser, `${MINE}/options`);
    const used = { credential: device.get(added) };
    expect((await browser.script('POST', '/api/sign-in/passkey', used)).status).toBe(403);
    expect(await store.stores.passkeys.of('x')).toEqual([]);
  });

  it('is added once, to one user', async () => {
    const { store, browser, device } = await annaWithPasskey();
    expect(await bodyOf(add(browser, device))).toMatchObject({ httpStatus: 409, code: 'already_exists' });
    const ben = await signUpAt(store, { ...ANNA, email: 'ben@example.com' });
    expect((await add(ben, device)).status).toBe(409);
  });

  it('does not sign in a suspended user', async () => {
    const { store, device } = await annaWithPasskey();
    const { id } = (await store.stores.people.findByEmail(ANNA.email)) ?? { id: '' };
    await store.admin('PATCH', `/api/admin/people/${id}`, { suspended: true });
    const { browser, answer } = await signIn(store, device);
    expect([answer.status, browser.session()]).toEqual([403, undefined]);
  });

  it('is not requested without a CSRF token', async () => {
    const store = await openTestStore();
    const browser = browserAt(store);
    await browser.open('/sign-in');
    expect((await browser.send('POST', '/api/sign-in/passkey/options')).status).toBe(403);
    expect(browser.cookies.has(CEREMONY)).toBe(false);
  });

  it('can be requested by a whole company behind one address', async () => {
    const store = await openTestStore();
    const browser = browserAt(store);
    await browser.open('/sign-in');
    const begin = () => browser.script('POST', '/api/sign-in/passkey/options');
    const answers = await Promise.all(Array.from({ length: 100 }, begin));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });
});
