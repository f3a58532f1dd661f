import { describe, expect, it } from 'vitest';
import { ANNA, signInAt, signUpAt } from '../../support/browser.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

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
