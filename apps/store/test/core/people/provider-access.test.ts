import { describe, expect, it } from 'vitest';
import { groupsIn } from '../../../src/core/people/provider-access.ts';
import { signUpAt } from '../../support/browser.ts';
import { needsExtension } from '../../support/extensions.ts';
import { falseProvider } from '../../support/false-provider.ts';
import { beginAt, openStoreAt } from '../../support/store-with-providers.ts';
import { bodyOf } from '../../support/test-store.ts';

const ADDRESS = { email: 'anna@acme.example', email_verified: true };

const GROUPS = {
  roles: { 'svc-admins': 'administrator', 'svc-reviewers': 'moderator' },
  publishers: { 'team-a': { slug: 'team-a', role: 'owner' }, everybody: { slug: 'team-a' } },
};

async function opened(rules: object, environment: Record<string, string> = {}) {
  const provider = await falseProvider('acme');
  const store = await openStoreAt(environment, { ...provider.settings, ...rules });
  await store.admin('POST', '/api/admin/publishers', { slug: 'team-a', name: 'Team A' });
  const signIn = async (claims: Record<string, unknown>) => {
    provider.lie({ claims: { ...ADDRESS, ...claims } });
    const { browser, location } = await beginAt(store, 'acme');
    const answer = await browser.open(provider.comeBack(location));
    const me = async () => bodyOf(browser.send('GET', '/api/people/me'));
    return { browser, answer, me };
  };
  const rosterOf = async (slug: string) => (await store.stores.members.of(slug)).map(({ role }) => role);
  const logOut = (token: string) =>
    store.call('POST', '/sign-in/acme/logout', {
      body: String(new URLSearchParams({ logout_token: token })),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  return { provider, store, signIn, rosterOf, logOut };
}

describe('the groups of a provider', () => {
  it('give roles and publishers at each sign-in, and take those of groups that the user left', async () => {
    const { store, signIn, rosterOf } = await opened({ groups: GROUPS });
    await store.signedIn('root', { role: 'administrator' });
    const first = await signIn({ groups: ['everybody', 'svc-reviewers', 'svc-admins'] });
    expect(await first.me()).toMatchObject({ role: 'administrator' });
    expect(await rosterOf('team-a')).toEqual(['member']);
    await signIn({ groups: ['svc-reviewers', 'team-a', 'everybody'] });
    expect(await first.me()).toMatchObject({ role: 'moderator' });
    expect(await rosterOf('team-a')).toEqual(['owner']);
    await signIn({ groups: [] });
    expect(await first.me()).toMatchObject({ role: 'person' });
    expect(await rosterOf('team-a')).toEqual([]);
    const told = await store.stores.mails.to('root@example.com', 9);
    expect(told.map(({ kind }) => kind)).toEqual(['role-changed', 'role-changed', 'role-changed']);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?limit=100'));
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'person.change',
        detail: expect.objectContaining({ role: 'person', provider: 'acme' }),
      }),
    );
    expect(entries).toContainEqual(expect.objectContaining({ action: 'member.remove', publisher: 'team-a' }));
  });

  it('take the invitations of an owner who left the group', async () => {
    const { store, signIn, rosterOf } = await opened({ groups: GROUPS });
    const { browser } = await signIn({ groups: ['team-a'] });
    await browser.open('/device');
    const { url } = await bodyOf(
      browser.script('POST', '/api/publishers/team-a/invitations', { role: 'owner' }),
    );
    const friend = await store.signedIn('friend');
    const path = new URL(url).pathname;
    expect((await store.call('GET', path, { session: friend })).status).toBe(200);
    await signIn({ groups: [] });
    expect((await store.call('GET', path, { session: friend })).status).toBe(404);
    expect(await rosterOf('team-a')).toEqual([]);
  });

  it.each([
    ['is missing', undefined],
    ['is a number', 7],
    ['has an entry that is no text', ['svc-admins', 7]],
    ['has too many entries', Array.from({ length: 5_001 }, (_, i) => (i === 0 ? 'svc-admins' : `g${i}`))],
  ])('are none where the claim %s', async (_what, groups) => {
    const { store, signIn } = await opened({ groups: GROUPS });
    await store.signedIn('root', { role: 'administrator' });
    await signIn({ groups: ['svc-admins'] });
    const { me } = await signIn({ groups });
    expect(await me()).toMatchObject({ role: 'person' });
  });

  it('are read up to thousands, by their own names only', () => {
    const many = Array.from({ length: 2_000 }, (_, i) => `group-${i}`);
    expect(groupsIn('groups', { groups: many })).toHaveLength(2_000);
    expect(groupsIn('toString', {})).toBeNull();
    expect(groupsIn('groups', { groups: 'one' })).toEqual(['one']);
  });

  it('never take the last administrator, and say so', async () => {
    const { store, signIn } = await opened({ groups: GROUPS });
    await signIn({ groups: ['svc-admins'] });
    const { me } = await signIn({ groups: [] });
    expect(await me()).toMatchObject({ role: 'administrator' });
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=person.change'));
    expect(entries[0].detail).toMatchObject({ kept: 'last administrator' });
  });
});

describe('the first administrator of a store that users do not join by themselves', () => {
  const RULES = { ssoOnly: true, allowedDomains: ['acme.example'], groups: GROUPS };

  it.each(['invited', 'closed'])('is a user of a group of the sign-in file at %s', async (signUp) => {
    const { store, signIn } = await opened(RULES, { SVC_SIGN_UP: signUp });
    expect((await signIn({ groups: ['svc-reviewers'] })).answer.status).toBe(403);
    const { answer, me } = await signIn({ groups: ['svc-admins'] });
    expect(answer.status).toBe(303);
    expect(await me()).toMatchObject({ role: 'administrator' });
    expect(await store.setupLink()).toBeNull();
    // From now on there is an administrator who adds users.
    const ben = { sub: 'ben', email: 'ben@acme.example', groups: ['svc-admins'] };
    expect((await signIn(ben)).answer.status).toBe(403);
    await store.admin('POST', '/api/admin/people', { name: 'Ben', email: ben.email });
    expect(await (await signIn(ben)).me()).toMatchObject({ role: 'administrator' });
  });

  it('is a user whom the provider adds by SCIM, in a group of it', needsExtension('scim'), async () => {
    const token = 'scim-0123456789-0123456789-0123456789';
    const { store, signIn } = await opened({ ...RULES, scim: { token } }, { SVC_SIGN_UP: 'invited' });
    const add = (path: string, body: object) =>
      bodyOf(
        store.call('POST', `/scim/acme/v2/${path}`, {
          ...{ token, body: JSON.stringify(body), headers: { 'content-type': 'application/scim+json' } },
        }),
      );
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
    const { id } = await add('Users', { schemas, userName: ADDRESS.email, displayName: 'Anna' });
    expect(await store.setupLink()).not.toBeNull();
    await add('Groups', { displayName: 'svc-admins', members: [{ value: id }] });
    expect(await store.setupLink()).toBeNull();
    // The groups of SCIM stand in place of the claim.
    const { me } = await signIn({});
    expect(await me()).toMatchObject({ name: 'Anna', role: 'administrator' });
  });
});

describe('the domains of a provider', () => {
  it.each([
    [{ email: 'anna@acme.example', email_verified: true }, 303],
    [{ email: 'anna@acme.example', email_verified: false }, 403],
    [{ email: 'anna@evil-acme.example', email_verified: true }, 403],
    [{ email: 'anna@acme.example.evil.example', email_verified: true }, 403],
    [{ email: undefined, email_verified: undefined }, 403],
  ])('admit %j with %d', async (claims, status) => {
    const { signIn } = await opened({ allowedDomains: ['Acme.example'] });
    expect((await signIn(claims)).answer.status).toBe(status);
  });
});

describe('an account that an administrator added', () => {
  const add = (store: Awaited<ReturnType<typeof opened>>['store']) =>
    bodyOf(store.admin('POST', '/api/admin/people', { name: 'Anna', email: ADDRESS.email }));

  it.each([{ ssoOnly: true }, { allowedDomains: ['acme.example'] }])(
    'is that of its user at %j',
    async (rules) => {
      const { store, signIn } = await opened(rules, { SVC_SIGN_UP: 'closed' });
      const { person } = await add(store);
      const { me, answer } = await signIn({});
      expect(answer.status).toBe(303);
      expect(await me()).toMatchObject({ id: person.id, emailVerified: true });
      // Another user of the provider with the same address, which was given to a new owner, gets nothing.
      expect((await signIn({ sub: 'another' })).answer.status).toBe(403);
      const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=identity.add'));
      expect(entries).toMatchObject([{ detail: { joined: expect.any(String) } }]);
    },
  );

  it.each([
    ['the operator did not make the provider the authority', {}, {}],
    ['the address is not confirmed', { ssoOnly: true }, { email_verified: false }],
  ])('is refused where %s', async (_what, rules, claims) => {
    const { store, signIn } = await opened(rules);
    await add(store);
    expect((await signIn(claims)).answer.status).toBe(409);
  });

  it('is refused where it has a password and its address was never proven', async () => {
    const { store, signIn } = await opened({ allowedDomains: ['acme.example'] });
    const { person } = await add(store);
    await store.stores.passwords.set(person.id, 'a hash', new Date(0).toISOString());
    expect((await signIn({})).answer.status).toBe(409);
  });
});

describe('a store that signs in with its provider alone', () => {
  it('accepts no password, no passkey and no reset link', async () => {
    const { store } = await opened({ ssoOnly: true });
    const person = await bodyOf(
      store.admin('POST', '/api/admin/people', { name: 'Ben', email: 'ben@acme.example' }),
    );
    const { pathname, search } = new URL(person.link.url);
    const page = await (await store.call('GET', '/sign-in')).text();
    expect(page).not.toMatch(/data-passkey|type="password"/);
    expect((await store.call('GET', pathname + search)).status).toBe(403);
    expect((await store.call('GET', '/forgotten')).status).toBe(403);
    await expect(signUpAt(store)).rejects.toThrow();
    const { browser } = await beginAt(store, 'acme');
    await browser.open('/sign-in');
    expect(
      (await browser.submit('/sign-in', { email: 'a@b.example', password: 'long enough 123' })).status,
    ).toBe(403);
    expect((await browser.script('POST', '/api/sign-in/passkey/options')).status).toBe(403);
  });
});

describe('a logout token', () => {
  it('ends all sessions of its subject at once, and no others', async () => {
    const { provider, store, signIn, logOut } = await opened({});
    const anna = await signIn({});
    const other = await signIn({ sub: 'ben', email: 'ben@acme.example' });
    expect((await logOut(provider.logoutToken())).status).toBe(200);
    expect(await anna.me()).toMatchObject({ httpStatus: 401 });
    expect(await other.me()).toMatchObject({ httpStatus: 200 });
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=session.end'));
    expect(entries[0].detail).toMatchObject({ ended: 1, provider: 'acme' });
    expect((await logOut(provider.logoutToken({ sub: 'unknown' }))).status).toBe(200);
  });

  it.each([
    ['is signed with another key', {}, true],
    ['is for another client', { aud: 'another' }, false],
    ['is of another issuer', { iss: 'https://evil.example' }, false],
    ['is an ID token', { events: undefined, nonce: 'n' }, false],
    ['has a nonce', { nonce: 'n' }, false],
    ['has another event', { events: { 'https://example.com/other': {} } }, false],
    ['is old', { iat: Math.floor(Date.now() / 1000) - 3_600 }, false],
    ['names only a session', { sub: undefined, sid: 'one' }, false],
    ['has no id', { jti: undefined }, false],
  ])('that %s is refused, and ends nothing', async (_what, claims, foreignKey) => {
    const { provider, signIn, logOut } = await opened({});
    const { me } = await signIn({});
    expect((await logOut(provider.logoutToken(claims, foreignKey))).status).toBe(400);
    expect(await me()).toMatchObject({ httpStatus: 200 });
  });
});
