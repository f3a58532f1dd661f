import { LIMITS } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../support/authenticator.ts';
import { ANNA, browserAt, signUpAt } from '../../support/browser.ts';
import { policyFileOf } from '../../support/moderated-store.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const DAY_MS = 24 * 3_600_000;
const TOKENS = '/api/people/me/tokens';
const PROOF = '/api/people/me/proof';
const PASSKEYS = '/api/people/me/passkeys';

/** A user who signed in longer ago than a proof is accepted. */
async function signedInEarlier() {
  const store = await openTestStore();
  const browser = await signUpAt(store);
  const authenticator = createAuthenticator();
  const credential = authenticator.create(await bodyOf(browser.script('POST', `${PASSKEYS}/options`)));
  await browser.script('POST', PASSKEYS, { label: 'key', credential });
  store.advance(LIMITS.people.proofMs + 1);
  const makeToken = () => browser.script('POST', TOKENS, { name: 'mine' });
  expect(await bodyOf(makeToken())).toMatchObject({ httpStatus: 403, code: 'reauthentication_required' });
  return { store, browser, authenticator, makeToken };
}

describe('a proof of identity', () => {
  it('with the password is accepted for ten minutes in this session only', async () => {
    const { store, browser, makeToken } = await signedInEarlier();
    const proof = await bodyOf(browser.script('POST', PROOF, { password: ANNA.password }));
    const until = new Date(store.clock().getTime() + LIMITS.people.proofMs).toISOString();
    expect(proof).toEqual({ httpStatus: 200, until });
    expect((await makeToken()).status).toBe(201);
    store.advance(LIMITS.people.proofMs);
    expect((await makeToken()).status).toBe(201);
    store.advance(1);
    expect((await makeToken()).status).toBe(403);
  });

  it('is refused with a wrong password', async () => {
    const { browser, makeToken } = await signedInEarlier();
    expect((await browser.script('POST', PROOF, { password: 'not the password' })).status).toBe(403);
    expect((await makeToken()).status).toBe(403);
  });

  it('is accepted with a passkey of the user, and not with that of another account', async () => {
    const { store, browser, authenticator, makeToken } = await signedInEarlier();
    const mallory = await signUpAt(store, { ...ANNA, email: 'mallory@example.com' });
    const theirs = createAuthenticator();
    const created = theirs.create(await bodyOf(mallory.script('POST', `${PASSKEYS}/options`)));
    await mallory.script('POST', PASSKEYS, { label: 'key', credential: created });
    const options = await bodyOf(browser.script('POST', `${PROOF}/options`));
    const foreign = await browser.script('POST', PROOF, { credential: theirs.get(options) });
    expect(foreign.status).toBe(403);
    const again = await bodyOf(browser.script('POST', `${PROOF}/options`));
    expect(again.allowCredentials).toMatchObject([{ id: authenticator.id }]);
    const proved = await browser.script('POST', PROOF, { credential: authenticator.get(again) });
    expect(proved.status).toBe(200);
    expect((await makeToken()).status).toBe(201);
  });

  it('cannot be a passkey ceremony that began as a sign-in, in another browser or by another user', async () => {
    const { store, browser, authenticator } = await signedInEarlier();
    const visitor = browserAt(store);
    await visitor.open('/sign-in');
    const options = await bodyOf(visitor.script('POST', '/api/sign-in/passkey/options'));
    const answer = await browser.script('POST', PROOF, { credential: authenticator.get(options) });
    expect(answer.status).toBe(403);
  });

  it('is offered by the sign-in page to a signed-in user, where a page needs it', async () => {
    const { browser } = await signedInEarlier();
    const redirected = await browser.open('/device');
    expect(redirected.status).toBe(303);
    const location = redirected.headers.get('location') ?? '';
    expect(location).toContain('/sign-in?next=%2Fdevice&again=');
    expect(await (await browser.open(location)).text()).toContain('Confirm that it is you');
    const { email, password } = ANNA;
    const answer = await browser.submit('/sign-in', { email, password, next: '/device' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/device']);
    expect((await browser.open('/device')).status).toBe(200);
  });
});

describe('a store whose roles need a passkey', () => {
  it('gives a role only in a session that a passkey proved', async () => {
    const store = await openTestStore({ policyFile: await policyFileOf({ rolesNeedPasskey: true }) });
    const browser = await signUpAt(store);
    const id = (await store.stores.people.findByEmail(ANNA.email))?.id ?? '';
    await store.stores.people.change(id, { role: 'moderator' });
    const queue = () => browser.send('GET', '/api/moderation/queue');
    expect(await bodyOf(queue())).toMatchObject({ httpStatus: 403, code: 'passkey_required' });
    expect(await bodyOf(browser.send('GET', '/api/people/me'))).toMatchObject({ roleNeedsPasskey: true });
    expect((await browser.send('GET', '/api/admin/people')).status).toBe(403);
    const authenticator = createAuthenticator();
    const credential = authenticator.create(await bodyOf(browser.script('POST', `${PASSKEYS}/options`)));
    await browser.script('POST', PASSKEYS, { label: 'key', credential });
    // A user who adds a passkey has just used it.
    expect((await queue()).status).toBe(200);
  });

  it('is a new one: a role lasts 14 days without a passkey, and with one it is asked for at once', async () => {
    const store = await openTestStore();
    expect((await store.stores.chosenRules.chosen()).roles).toBe('grace');
    const browser = await signUpAt(store);
    const id = (await store.stores.people.findByEmail(ANNA.email))?.id ?? '';
    store.advance(30 * DAY_MS);
    await store.admin('PATCH', `/api/admin/people/${id}`, { role: 'moderator' });
    const signIn = async () => {
      await browser.open('/sign-in');
      await browser.submit('/sign-in', { email: ANNA.email, password: ANNA.password });
      await browser.open('/api/people/me');
    };
    const queue = async () => (await browser.send('GET', '/api/moderation/queue')).status;
    const dueAt = async () => (await bodyOf(browser.send('GET', '/api/people/me'))).passkeyDueAt;
    await signIn();
    expect(await queue()).toBe(200);
    expect(await dueAt()).toBe(new Date(store.clock().getTime() + 14 * DAY_MS).toISOString());
    store.advance(14 * DAY_MS);
    await signIn();
    expect(await queue()).toBe(403);
    const authenticator = createAuthenticator();
    const credential = authenticator.create(await bodyOf(browser.script('POST', `${PASSKEYS}/options`)));
    await browser.script('POST', PASSKEYS, { label: 'key', credential });
    expect([await queue(), await dueAt()]).toEqual([200, null]);
    // The grace of a new role is not for those who have a passkey.
    await store.admin('PATCH', `/api/admin/people/${id}`, { role: 'administrator' });
    await signIn();
    expect(await queue()).toBe(403);
  });

  it('is not one whose users can have no passkeys, nor an old one before an administrator chooses so', async () => {
    const local = await openTestStore({ environment: { SVC_BASE_URL: 'https://192.0.2.1' } });
    const session = await local.signedIn('anna', { role: 'moderator' });
    local.advance(13 * DAY_MS);
    const later = await local.signedIn('anna');
    local.advance(5 * DAY_MS);
    expect((await local.call('GET', '/api/moderation/queue', { session: later })).status).toBe(200);
    expect(session.personId).toBe(later.personId);

    const old = await openTestStore();
    await old.stores.chosenRules.choose({ roles: 'any' });
    await old.close();
    const store = await openTestStore({ folder: old.folder });
    expect(store.lines.join()).toContain('have their role with a password alone');
    const admin = await store.signedIn('ada', { role: 'administrator' });
    store.advance(60 * DAY_MS);
    const ada = await store.signedIn('ada');
    const answer = await store.call('POST', '/setup/access', {
      session: ada,
      body: new URLSearchParams({ roles: 'grace', csrf: ada.csrf }).toString() as never,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(answer.status).toBe(303);
    expect(admin.personId).toBe('ada');
    // No one loses the role at once, the administrator who chose included.
    expect((await store.call('GET', '/api/admin/people', { session: ada })).status).toBe(200);
    store.advance(14 * DAY_MS);
    const after = await store.signedIn('ada');
    expect((await store.call('GET', '/api/admin/people', { session: after })).status).toBe(403);
  });
});
