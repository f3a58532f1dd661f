import { describe, expect, it } from 'vitest';
import { ANNA, browserAt, signUpAt } from '../../support/browser.ts';
import { BASE_URL, bodyOf, openTestStore } from '../../support/test-store.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const formOf = (fields: Record<string, string>) => String(new URLSearchParams(fields));
const { email, password } = ANNA;

async function opened() {
  const store = await openTestStore();
  await signUpAt(store);
  const browser = browserAt(store);
  const page = await (await browser.open('/sign-in')).text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  return { store, browser, csrf };
}

describe('a form', () => {
  it('is accepted with the token of its page, also without an Origin header', async () => {
    const { browser, csrf, store } = await opened();
    const cookie = Array.from(browser.cookies, (pair) => pair.join('=')).join('; ');
    const body = formOf({ csrf, email, password });
    const answer = await store.call('POST', '/sign-in', { body, headers: { ...FORM, cookie } });
    expect(answer.status).toBe(303);
  });

  it('is accepted when another page was opened after its own; the cookie for it ends with the sign-in', async () => {
    const { browser, csrf } = await opened();
    await browser.open('/sign-up');
    expect([...browser.cookies.keys()]).toEqual(['__Host-svc-visit']);
    const answer = await browser.send('POST', '/sign-in', {
      body: formOf({ csrf, email, password }),
      headers: FORM,
    });
    expect([answer.status, [...browser.cookies.keys()]]).toEqual([
      303,
      ['__Host-svc-session', '__Host-svc-browser'],
    ]);
  });

  it.each(['https://evil.example', 'null', 'http://store.test', 'https://store.test.evil.example', ''])(
    'is refused from the origin %j, also with a valid token',
    async (origin) => {
      const { browser, csrf } = await opened();
      const body = formOf({ csrf, email, password });
      const answer = await browser.send('POST', '/sign-in', { body, headers: { ...FORM, origin } });
      expect([answer.status, browser.session()]).toEqual([403, undefined]);
    },
  );

  it.each([undefined, '', 'x', 'A'.repeat(64)])('is refused with the token %j', async (csrf) => {
    const { browser } = await opened();
    const body = formOf({ ...(csrf !== undefined && { csrf }), email, password });
    const answer = await browser.send('POST', '/sign-in', { body, headers: FORM });
    expect([answer.status, browser.session()]).toEqual([403, undefined]);
  });

  it('is refused with the token of another browser, or without its cookie', async () => {
    const { browser, store } = await opened();
    const other = browserAt(store);
    const page = await (await other.open('/sign-in')).text();
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const body = formOf({ csrf, email, password });
    expect((await browser.send('POST', '/sign-in', { body, headers: FORM })).status).toBe(403);
    const headers = { ...FORM, origin: BASE_URL };
    expect((await store.call('POST', '/sign-in', { body, headers })).status).toBe(403);
  });

  it('is refused with another content type', async () => {
    const { browser, csrf } = await opened();
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const headers = { 'content-type': type };
      const body = formOf({ csrf, email, password });
      expect((await browser.send('POST', '/sign-in', { body, headers })).status).toBe(415);
    }
  });
});

describe('a change by a script of a page', () => {
  const change = { json: { name: 'Eve' } };
  const path = '/api/people/me';

  it('requires the CSRF token of its session', async () => {
    const store = await openTestStore();
    const anna = await store.signedIn('anna');
    const again = await store.signedIn('anna');
    const { cookie } = anna;
    const refused = [
      { cookie },
      { cookie, 'x-svc-csrf': '' },
      { cookie, 'x-svc-csrf': again.csrf },
      { cookie, 'x-svc-csrf': anna.csrf, origin: 'https://evil.example' },
    ];
    for (const headers of refused) {
      expect(await bodyOf(store.call('PATCH', path, { ...change, headers }))).toMatchObject({
        httpStatus: 403,
        code: 'forbidden',
      });
    }
    expect(await store.stores.people.find('anna')).toMatchObject({ name: 'anna' });
    expect((await store.call('PATCH', path, { ...change, session: anna })).status).toBe(200);
  });

  it('uses the CSRF token that the profile of the user contains', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const { csrf } = await bodyOf(store.call('GET', path, { session }));
    expect(csrf).toBe(session.csrf);
    expect(session.cookie).not.toContain(csrf);
  });
});
