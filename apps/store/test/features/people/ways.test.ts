import { describe, expect, it } from 'vitest';
import { ANNA, signInAt, signUpAt } from '../../support/browser.ts';
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
