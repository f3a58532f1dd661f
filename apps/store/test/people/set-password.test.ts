import { describe, expect, it } from 'vitest';
import { ANNA, signInAt, signUpAt } from '../support/browser.ts';
import { bodyOf, openTestStore } from '../support/test-store.ts';

const NEW = 'quite another password';
const PATH = '/api/people/me/password';

describe('a change of the password', () => {
  it('needs the present one, and ends all other sessions', async () => {
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

  it('is made by one of many at once', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const answers = await Promise.all(
      [1, 2, 3].map((i) =>
        browser.script('PUT', PATH, { current: ANNA.password, password: `the password number ${i}` }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
  });

  it('does not let who sits at a browser guess the present one, nor counts again for it', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const guess = (i: number) => browser.script('PUT', PATH, { current: `guess number ${i}`, password: NEW });
    for (let i = 0; i < 10; i += 1) expect((await guess(i)).status).toBe(403);
    expect(await bodyOf(guess(10))).toMatchObject({ httpStatus: 429, code: 'rate_limited' });
    expect((await signInAt(store)).answer.status).toBe(429);
  });

  it('gives a first password to who has none, where there is no provider', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('ben');
    expect(await bodyOf(store.call('PUT', PATH, { session, json: { password: NEW } }))).toMatchObject({
      httpStatus: 200,
      hasPassword: true,
    });
    const { answer } = await signInAt(store, { email: 'ben@example.com', password: NEW });
    expect(answer.status).toBe(303);
  });

  it.each(['short', 'ben@example.com'])('refuses a bad one: %s', async (password) => {
    const store = await openTestStore();
    const session = await store.signedIn('ben');
    const answer = await bodyOf(store.call('PUT', PATH, { session, json: { password } }));
    expect(answer).toMatchObject({ httpStatus: 400, issues: [{ path: '/password' }] });
  });
});
