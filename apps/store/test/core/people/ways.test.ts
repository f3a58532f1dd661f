import { LIMITS } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../support/authenticator.ts';
import { ANNA, browserAt, signInAt, signUpAt } from '../../support/browser.ts';
import { policyFileOf } from '../../support/moderated-store.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const AT = '2026-03-01T12:00:00.000Z';

const passkey = (personId: string, id: string) => ({
  ...{ id, personId, label: 'My phone', publicKey: 'x', counter: 0, transports: [] },
  ...{ createdAt: AT, lastUsedAt: null },
});

async function withPasskeys(...ids: string[]) {
  const store = await openTestStore();
  const session = await store.signedIn('anna');
  for (const id of ids) await store.stores.passkeys.add(passkey('anna', id));
  const as = (method: string, path: string, json?: unknown) =>
    store.call(method, `/api/people/me/${path}`, { session, ...(json !== undefined && { json }) });
  return { store, as };
}

const addIdentity = (store: TestStore, personId: string, id: string) =>
  store.stores.identities.add({
    ...{ id, personId, issuer: 'https://id.example/', subject: id, label: 'anna', createdAt: AT },
  });

describe('the ways to sign in of a user', () => {
  it('can be removed, except the last one', async () => {
    const { as } = await withPasskeys('one', 'two');
    expect(await bodyOf(as('DELETE', 'passkeys/one'))).toMatchObject({ passkeys: [{ id: 'two' }] });
    expect(await bodyOf(as('DELETE', 'passkeys/two'))).toMatchObject({ httpStatus: 403 });
    expect((await as('PUT', 'password', { password: 'four words of anna' })).status).toBe(200);
    expect((await as('DELETE', 'passkeys/two')).status).toBe(200);
    expect(await bodyOf(as('DELETE', 'password'))).toMatchObject({ httpStatus: 403 });
  });

  it('keep one when two are removed at the same time', async () => {
    const { store, as } = await withPasskeys('one', 'two');
    const answers = await Promise.all([as('DELETE', 'passkeys/one'), as('DELETE', 'passkeys/two')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await store.stores.passkeys.of('anna')).toHaveLength(1);
  });

  it('do not include an account at a provider that the store no longer uses', async () => {
    const { store, as } = await withPasskeys('one');
    await addIdentity(store, 'anna', 'old');
    expect((await as('DELETE', 'passkeys/one')).status).toBe(403);
    expect(await bodyOf(as('DELETE', 'identities/old'))).toMatchObject({ httpStatus: 200, identities: [] });
  });

  it('cannot be changed or removed by another user', async () => {
    const { store, as } = await withPasskeys('one', 'two');
    await store.signedIn('ben');
    await store.stores.passkeys.add(passkey('ben', 'bens'));
    await addIdentity(store, 'ben', 'of-ben');
    expect((await as('DELETE', 'passkeys/bens')).status).toBe(404);
    expect((await as('PATCH', 'passkeys/bens', { label: 'mine' })).status).toBe(404);
    expect((await as('DELETE', 'identities/of-ben')).status).toBe(404);
    expect(await store.stores.passkeys.find('bens')).toMatchObject({ label: 'My phone' });
  });

  it('tell their user by mail at each change, at a confirmed address, and the last of them never goes', async () => {
    const { store, as } = await withPasskeys('one', 'two');
    await addIdentity(store, 'anna', 'work');
    store.advance(60_000);
    const told = async () =>
      (await store.stores.mails.to('anna@example.com', 20)).flatMap((mail) =>
        mail.kind === 'account-changed' ? [`${mail.detail.action} ${mail.detail.what}`] : [],
      );
    await as('PATCH', 'passkeys/one', { label: 'Work' });
    expect(await told()).toEqual([]);
    await as('PUT', 'password', { password: 'four words of anna' });
    await as('POST', 'tokens', { name: 'laptop' });
    await as('DELETE', 'passkeys/one');
    await as('DELETE', 'identities/work');
    await as('DELETE', 'password');
    expect(await as('DELETE', 'passkeys/two')).toMatchObject({ status: 403 });
    expect((await told()).sort()).toEqual([
      'identity.remove anna',
      'passkey.remove Work',
      'password.remove ',
      'password.set ',
      'token.issue laptop',
    ]);
    await store.stores.people.change('anna', { emailVerified: false });
    await as('PUT', 'password', { password: 'four other words of anna' });
    expect(await told()).toHaveLength(5);
  });

  it('can be renamed if they are passkeys, with an audit entry', async () => {
    const { store, as } = await withPasskeys('one');
    expect(await bodyOf(as('PATCH', 'passkeys/one', { label: ' Work ' }))).toMatchObject({
      passkeys: [{ id: 'one', label: 'Work' }],
    });
    expect((await as('PATCH', 'passkeys/one', { label: '' })).status).toBe(400);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?actor=person:anna'));
    expect(entries).toMatchObject([{ action: 'passkey.rename', detail: { passkey: 'one', label: 'Work' } }]);
  });
});

const NEW = 'quite another password';
const PATH = '/api/people/me/password';

describe('a change of the password', () => {
  it('requires the current password, and ends all other sessions', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const { browser: other } = await signInAt(store);
    const wrong = { current: 'not the right one', password: NEW };
    expect(await bodyOf(browser.script('PUT', PATH, wrong))).toMatchObject({ httpStatus: 403 });
    expect(await bodyOf(browser.script('PUT', PATH, { password: NEW }))).toMatchObject({ httpStatus: 403 });
    expect((await other.send('GET', '/api/people/me')).status).toBe(200);
    const right = { current: ANNA.password, password: NEW };
    expect((await browser.script('PUT', PATH, right)).status).toBe(200);
    expect((await browser.send('GET', '/api/people/me')).status).toBe(200);
    expect((await other.send('GET', '/api/people/me')).status).toBe(401);
    expect((await signInAt(store, { ...ANNA, password: NEW })).answer.status).toBe(303);
  });

  it('succeeds for one of several concurrent requests', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const answers = await Promise.all(
      [1, 2, 3].map((i) =>
        browser.script('PUT', PATH, { current: ANNA.password, password: `the password number ${i}` }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
  });

  it('is limited to ten wrong passwords, which do not lock out the owner elsewhere', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const guess = (i: number) => browser.script('PUT', PATH, { current: `guess number ${i}`, password: NEW });
    for (let i = 0; i < 10; i += 1) expect((await guess(i)).status).toBe(403);
    expect(await bodyOf(guess(10))).toMatchObject({ httpStatus: 429, code: 'rate_limited' });
    expect((await signInAt(store)).answer.status).toBe(303);
  });

  it('sets a first password without the current one if the store has no provider', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('ben');
    expect(await bodyOf(store.call('PUT', PATH, { session, json: { password: NEW } }))).toMatchObject({
      httpStatus: 200,
      hasPassword: true,
    });
    const { answer } = await signInAt(store, { email: 'ben@example.com', password: NEW });
    expect(answer.status).toBe(303);
  });

  it.each(['short', 'ben@example.com'])('refuses a weak password: %s', async (password) => {
    const store = await openTestStore();
    const session = await store.signedIn('ben');
    const answer = await bodyOf(store.call('PUT', PATH, { session, json: { password } }));
    expect(answer).toMatchObject({ httpStatus: 400, issues: [{ path: '/password' }] });
  });
});

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
