import { describe, expect, it } from 'vitest';
import { ANNA, browserAt, signInAt, signUpAt } from '../../support/browser.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

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
