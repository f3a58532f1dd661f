import { describe, expect, it } from 'vitest';
import { ANNA, browserAt, signInAt, signUpAt } from '../../support/browser.ts';
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
      ...{ id: 'anna', name: 'anna', email: 'anna@example.com', emailVerified: true, role: 'person' },
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
