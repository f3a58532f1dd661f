import { createRequire } from 'node:module';
import { StatementSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ANNA, browserAt, signInAt, signUpAt } from '../../support/browser.ts';
import { dumpOf } from '../../support/database.ts';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

describe('/api/people/me', () => {
  it('returns publishers, ways to sign in and sessions, without the session token', async () => {
    const store = await openTestStore();
    await store.publisherToken('acme');
    const session = await store.signedIn('anna', { membership: { acme: 'owner' } });
    const answer = await store.call('GET', '/api/people/me', { session });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const text = await answer.clone().text();
    expect(text).not.toContain(session.cookie.split('=')[1]);
    expect(await bodyOf(answer)).toEqual({
      httpStatus: 200,
      roleNeedsPasskey: false,
      passkeyDueAt: null,
      ...{
        id: 'anna',
        name: 'anna',
        email: 'anna@example.com',
        emailVerified: true,
        sendsMail: false,
        role: 'person',
      },
      createdAt: '2026-03-01T12:00:00.000Z',
      memberships: [{ publisher: 'acme', name: 'The acme', role: 'owner' }],
      csrf: session.csrf,
      ...{ hasPassword: false, passkeys: [], identities: [], providers: [] },
      sessions: [
        {
          ...{ id: expect.any(String), current: true, address: null, agent: 'a test' },
          createdAt: '2026-03-01T12:00:00.000Z',
          lastSeenAt: '2026-03-01T12:00:00.000Z',
        },
      ],
    });
  });

  it('changes the name, and refuses an invalid name or a change of the role', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const change = (json: unknown) => bodyOf(store.call('PATCH', '/api/people/me', { session, json }));
    expect(await change({ name: ' Anna Ash ' })).toMatchObject({ httpStatus: 200, name: 'Anna Ash' });
    for (const json of [
      { name: '' },
      { name: 'x', role: 'administrator' },
      { name: 'a\nb' },
      { name: 'Anna\u202E' },
      { name: '\u200B' },
      {},
    ])
      expect(await change(json)).toMatchObject({ httpStatus: 400 });
    expect(await store.stores.people.find('anna')).toMatchObject({ name: 'Anna Ash', role: 'person' });
  });
});

const ME = '/api/people/me';

describe('signing out', () => {
  it('ends the session of this browser, also for a copy of its cookie', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const { browser: other } = await signInAt(store);
    const thief = browserAt(store);
    thief.cookies.set('__Host-svc-session', browser.session() as string);
    const answer = await browser.submit('/sign-out', {});
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in']);
    expect(browser.session()).toBeUndefined();
    expect((await thief.send('GET', ME)).status).toBe(401);
    expect((await other.send('GET', ME)).status).toBe(200);
  });

  it('is refused when the form comes from another site', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' };
    expect((await browser.send('POST', '/sign-out', { body: '', headers })).status).toBe(403);
    expect((await browser.send('GET', ME)).status).toBe(200);
  });

  it('ends another session of the user by its id', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const { browser: other } = await signInAt(store);
    const { sessions } = await bodyOf(browser.send('GET', ME));
    expect(sessions).toHaveLength(2);
    const { id } = sessions.find(({ current }: { current: boolean }) => !current);
    expect(await bodyOf(browser.script('DELETE', `${ME}/sessions/${id}`))).toEqual({
      httpStatus: 200,
      ended: 1,
    });
    expect((await other.send('GET', ME)).status).toBe(401);
    expect((await browser.script('DELETE', `${ME}/sessions/${id}`)).status).toBe(404);
  });

  it('does not end a session of another user', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const ben = await signUpAt(store, { ...ANNA, email: 'ben@example.com' });
    const { sessions } = await bodyOf(ben.send('GET', ME));
    expect((await browser.script('DELETE', `${ME}/sessions/${sessions[0].id}`)).status).toBe(404);
    expect((await ben.send('GET', ME)).status).toBe(200);
  });

  it('everywhere ends all sessions, including the current one, and writes an audit entry', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const { browser: other } = await signInAt(store);
    expect(await bodyOf(browser.script('DELETE', `${ME}/sessions`))).toMatchObject({ ended: 2 });
    for (const one of [browser, other]) expect((await one.send('GET', ME)).status).toBe(401);
    expect(browser.session()).toBeUndefined();
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=session.end'));
    expect(entries).toMatchObject([{ detail: { all: true, ended: 2 } }]);
  });
});

const CANARY = 'Zanzibara Quillfeather';
const ADDRESS = 'zanzibara@canary.example';

/** A store with a published app, and carl, who calls himself and writes as no other text does. */
async function opened() {
  const store = await openPublisherStore();
  const { carl } = store.sessions;
  const asCarl = (method: string, path: string, json?: unknown) =>
    store.call(method, path, { session: carl, ...(json !== undefined && { json }) });
  await store.stores.people.change('carl', { email: ADDRESS, emailVerified: true });
  expect((await asCarl('PATCH', ME, { name: CANARY })).status).toBe(200);
  const { token } = await bodyOf(store.admin('POST', '/api/admin/tokens', { publisher: 'acme' }));
  await store.publish(token, { id: 'com.acme.notes', publisher: 'acme' });
  await store.decide('approve', '1.0.0', undefined, 'com.acme.notes');
  return { ...store, asCarl };
}

it('an export has what a user did; a deleted account leaves no text of it in any table', async () => {
  const { asCarl, as, admin, stores, folder, roster, advance, prove, sessions, clock } = await opened();
  await as('anna', 'POST', '/invitations', { role: 'member', email: ADDRESS });
  const report = { category: 'spam', evidence: `Written by ${CANARY}` };
  await asCarl('POST', '/api/apps/com.acme.notes/reports', report);
  advance(60_000);
  await prove(sessions.carl);
  await asCarl('POST', `${ME}/tokens`, { name: `laptop of ${CANARY}` });
  const at = { createdAt: clock().toISOString(), lastUsedAt: null };
  const passkey = { id: 'one', personId: 'carl', label: `Phone of ${CANARY}`, publicKey: 'x', ...at };
  await stores.passkeys.add({ ...passkey, counter: 0, transports: [] });
  await asCarl('PATCH', `${ME}/passkeys/one`, { label: `Key of ${CANARY}` });
  const identity = { id: 'work', personId: 'carl', issuer: 'https://id.example/', subject: 's' };
  await stores.identities.add({ ...identity, label: ADDRESS, createdAt: at.createdAt });
  await asCarl('DELETE', `${ME}/identities/work`);
  // Mails about the account wait to be sent.
  expect(await stores.mails.to(ADDRESS, 9)).not.toEqual([]);
  await asCarl('GET', '/api/apps/com.acme.notes/versions/1.0.0/bundle');
  const data = await bodyOf(asCarl('GET', `${ME}/export`));
  expect(data).toMatchObject({
    account: { name: CANARY, email: ADDRESS },
    reviews: [],
    flags: [],
    tokens: [{ name: `laptop of ${CANARY}` }],
  });
  expect(data.events.map(({ action }: { action: string }) => action)).toContain('person.change');
  expect(JSON.stringify(data)).not.toMatch(/hash|csrf|svc[dp]_/);
  expect((await asCarl('DELETE', ME)).status).toBe(200);
  expect((await asCarl('GET', ME)).status).toBe(401);
  expect(await roster()).toEqual({ anna: 'owner', ben: 'member' });
  expect(await stores.people.find('carl')).toMatchObject({ name: 'Deleted account', email: null });
  const dump = (await dumpOf(folder)).toLowerCase();
  expect(dump).toContain('com.acme.notes');
  for (const text of ['quillfeather', 'zanzibara', 'canary.example']) expect(dump).not.toContain(text);
  expect((await admin('GET', '/api/admin/audit?action=person.delete')).status).toBe(200);
});

it('the last owner of a publisher and the last administrator stay', async () => {
  const { as, call, sessions, signedIn } = await opened();
  const leave = (session: (typeof sessions)['anna']) => bodyOf(call('DELETE', ME, { session }));
  expect(await leave(sessions.anna)).toMatchObject({ code: 'last_owner' });
  const root = await signedIn('root', { role: 'administrator' });
  expect(await leave(root)).toMatchObject({ code: 'forbidden' });
  await as('anna', 'PATCH', '/members/ben', { role: 'owner' });
  expect(await leave(sessions.anna)).toMatchObject({ deleted: true });
});

it('10,000 recorded events are exported, each once, by hardly more statements than a few', async () => {
  const { stores } = await opened();
  const prototypes = [StatementSync.prototype, createRequire(import.meta.url)('pg').Client.prototype];
  const spies = prototypes.flatMap((one) =>
    ['all', 'iterate', 'get', 'query'].filter((name) => name in one).map((name) => vi.spyOn(one, name)),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  const exported = async () => {
    for (const spy of spies) spy.mockClear();
    const { events } = await stores.leaving.records('carl');
    return { events, statements: spies.reduce((sum, { mock }) => sum + mock.calls.length, 0) };
  };
  const few = await exported();
  const ends = Array.from({ length: 10_000 }, (_, n) => ({
    action: 'session.end' as const,
    detail: { session: `s-${n}` },
  }));
  const by = { name: 'person:carl', from: { address: null, requestId: null } } as never;
  await stores.audit.addAll(by, '2026-01-01T00:00:00.000Z', ends);
  const all = await exported();
  expect(all.events.slice(few.events.length).map(({ detail }) => detail)).toEqual(
    ends.map(({ detail }) => detail),
  );
  expect(few.statements).toBeGreaterThan(0);
  // A few more may be those of a job in the background.
  expect(all.statements).toBeLessThan(few.statements + 5);
});
