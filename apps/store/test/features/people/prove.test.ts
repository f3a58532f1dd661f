import { LIMITS } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../support/authenticator.ts';
import { ANNA, browserAt, signUpAt } from '../../support/browser.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

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
    const { writeFile } = await import('node:fs/promises');
    const first = await openTestStore();
    await first.close();
    const policyFile = `${first.folder}/policy.json`;
    await writeFile(policyFile, JSON.stringify({ rolesNeedPasskey: true }));
    const store = await openTestStore({ folder: first.folder, policyFile });
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
    expect((await queue()).status).toBe(403);
    const options = await bodyOf(browser.script('POST', `${PROOF}/options`));
    await browser.script('POST', PROOF, { credential: authenticator.get(options) });
    expect((await queue()).status).toBe(200);
  });
});
