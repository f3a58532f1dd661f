import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeNext } from '../../../src/core/people/may-join.ts';
import { ANNA, browserAt, signUpAt } from '../../support/browser.ts';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf, jsonOf, openTestStore } from '../../support/test-store.ts';

describe('safeNext', () => {
  it.each(['/', '/account', '/device?code=ABCD-EFGH', '/a/b#c', '/a?next=//x'])('accepts %s', (next) => {
    expect(safeNext(next)).toBe(next);
  });

  it.each([
    undefined,
    '',
    'account',
    'https://evil.example/',
    'javascript:alert(1)',
    '//evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n\\evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    ' //evil.example',
  ])('replaces %j with the account page', (next) => {
    expect(safeNext(next)).toBe('/account');
  });

  it('never returns an address of another site', () => {
    const part = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2e',
      '\t',
      '\r\n',
      'evil.example',
      ':',
      '@',
      '?',
      '#',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const to = safeNext(`/${parts.join('')}`);
        expect(new URL(to, 'https://store.test').origin).toBe('https://store.test');
      }),
    );
  });
});

const BEN = { name: 'Ben', email: 'ben@example.org', password: 'four words of ben here' };

/** A store with an open invitation to a publisher, and the path of the invitation. */
async function invitingStore(signUp: string) {
  const store = await openPublisherStore({ environment: { SVC_SIGN_UP: signUp } });
  const made = await store.as('anna', 'POST', '/invitations', { role: 'member' });
  const { url } = await jsonOf<{ url: string }>(made);
  return { store, next: new URL(url).pathname };
}

describe('creating an account', () => {
  it('is possible for every visitor by default', async () => {
    const store = await openTestStore();
    expect((await signUpAt(store)).session()).toBeTruthy();
  });

  it.each(['invited', 'closed'])(
    'is refused without an invitation when SVC_SIGN_UP is %s, on the page and by its form',
    async (signUp) => {
      const store = await openTestStore({ environment: { SVC_SIGN_UP: signUp } });
      const browser = browserAt(store);
      expect((await browser.open('/sign-up')).status).toBe(403);
      expect(await (await browser.open('/sign-in')).text()).not.toContain('/sign-up');
      for (const next of [
        undefined,
        '/invitations/none.none',
        '/invitations/%00',
        '/setup?key=none',
        '//evil.example',
      ]) {
        const fields = { ...BEN, ...(next && { next }) };
        expect([next, (await browser.submit('/sign-up', fields)).status]).toEqual([next, 403]);
      }
      expect(await store.stores.people.findByEmail(BEN.email)).toBeNull();
    },
  );

  it('is possible with an invitation when SVC_SIGN_UP is invited, until the invitation is used', async () => {
    const { store, next } = await invitingStore('invited');
    const browser = browserAt(store);
    await browser.open(`/sign-up?${new URLSearchParams({ next })}`);
    const joined = await browser.submit('/sign-up', { ...BEN, next });
    expect([joined.status, joined.headers.get('location')]).toEqual([303, next]);
    await browser.open(next);
    expect((await browser.submit(next, {})).status).toBeLessThan(400);
    const late = browserAt(store);
    await late.open('/sign-in');
    expect((await late.submit('/sign-up', { ...BEN, email: 'x@example.org', next })).status).toBe(403);
  });

  it('is refused also with an invitation when SVC_SIGN_UP is closed', async () => {
    const { store, next } = await invitingStore('closed');
    const browser = browserAt(store);
    await browser.open('/sign-in');
    expect((await browser.submit('/sign-up', { ...BEN, next })).status).toBe(403);
  });

  it('is possible with the setup link when SVC_SIGN_UP is closed', async () => {
    const store = await openTestStore({ environment: { SVC_SIGN_UP: 'closed' } });
    const { pathname, search, searchParams } = new URL((await store.setupLink()) ?? '');
    const browser = browserAt(store);
    await browser.open(pathname + search);
    const key = searchParams.get('key') ?? '';
    expect((await browser.submit('/setup', { key, ...ANNA })).status).toBe(303);
  });

  it('is possible for an administrator when SVC_SIGN_UP is closed: the user sets a password with a link that works once', async () => {
    const store = await openTestStore({ environment: { SVC_SIGN_UP: 'closed' } });
    const { name, email, password } = BEN;
    const added = await bodyOf(store.admin('POST', '/api/admin/people', { name, email }));
    expect(added).toMatchObject({ httpStatus: 201, person: { name, email, role: 'person' } });
    const { pathname, search, searchParams } = new URL(added.link.url);
    const browser = browserAt(store);
    await browser.open(pathname + search);
    const key = searchParams.get('key') ?? '';
    expect((await browser.submit('/reset', { key, password })).status).toBe(303);
    expect(await bodyOf(browser.send('GET', '/api/people/me'))).toMatchObject({ name });
    await browser.open('/sign-in');
    expect((await browser.submit('/reset', { key, password })).status).toBe(404);
    expect((await store.admin('POST', '/api/admin/people', { name, email })).status).toBe(409);
  });
});

describe('creating a publisher', () => {
  it('is possible only for administrators when SVC_PUBLISHERS is approved', async () => {
    const store = await openTestStore({ environment: { SVC_PUBLISHERS: 'approved' } });
    const json = { slug: 'anna-apps', name: 'Apps of Anna' };
    const anna = await store.signedIn('anna');
    const refused = await bodyOf(store.call('POST', '/api/publishers', { session: anna, json }));
    expect(refused).toMatchObject({ httpStatus: 403, code: 'forbidden' });
    expect(refused.message).toContain('ask one to create yours');
    const boss = await store.signedIn('boss', { role: 'administrator' });
    expect((await store.call('POST', '/api/publishers', { session: boss, json })).status).toBe(201);
    const made = await store.admin('PUT', '/api/admin/publishers/anna-apps/members/anna', { role: 'owner' });
    expect(made.status).toBe(200);
  });
});
