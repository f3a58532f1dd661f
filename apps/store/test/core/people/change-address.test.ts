import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { addressLinkFor } from '../../../src/core/people/change-address.ts';
import { createMac } from '../../../src/platform/secret.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { ANNA, browserAt, signInAt, signUpAt } from '../../support/browser.ts';
import { BASE_URL, bodyOf, jsonOf, openTestStore, type TestStore, twinOf } from '../../support/test-store.ts';

const NEW = 'anna@new.example';
const ME = '/api/people/me';
const SENDS_MAIL = { SVC_SMTP_URL: 'smtp://127.0.0.1:1', SVC_MAIL_FROM: 'store@store.test' };

/** The queued mails but those of sign-ups, as kind and recipient. */
async function queued(store: TestStore) {
  const mails = await store.stores.mails.due('9', 100);
  return mails.filter(({ kind }) => kind !== 'confirm-email').map(({ kind, recipient }) => [kind, recipient]);
}

/** The link of the mail to a new address, made with the key of the store. */
async function addressLink(store: TestStore, personId: string, email: string): Promise<string | null> {
  const key = createPrivateKey(await readFile(join(store.folder, 'keys', 'signing-key.pem')));
  const addressMac = createMac(key, 'new address');
  const deps = { people: store.stores.people, clock: store.clock, baseUrl: BASE_URL, addressMac };
  return addressLinkFor(deps, personId, email);
}

/** A user with a confirmed address, in a store that sends mail. */
async function opened() {
  const store = await openTestStore({ environment: SENDS_MAIL });
  const anna = await signUpAt(store);
  const id = (await store.stores.people.findByEmail(ANNA.email))?.id ?? '';
  await store.stores.people.change(id, { emailVerified: true });
  const request = (email: string) => anna.script('PUT', `${ME}/email`, { email });
  const link = async (email = NEW, personId = id) => {
    const url = new URL((await addressLink(store, personId, email)) ?? '');
    return { path: url.pathname + url.search, key: url.searchParams.get('key') ?? '' };
  };
  return { store, anna, id, request, link };
}

describe('changing the email address of an account', () => {
  it('proves the new address, ends every other access, and tells the old one', BOTH_DATABASES, async () => {
    const { store, anna, id, request, link } = await opened();
    const { browser: elsewhere } = await signInAt(store);
    const { token } = await jsonOf<{ token: string }>(anna.script('POST', `${ME}/tokens`, { name: 'ci' }));
    const options = await bodyOf(anna.script('POST', `${ME}/passkeys/options`));
    const credential = createAuthenticator().create(options);
    await anna.script('POST', `${ME}/passkeys`, { label: 'phone', credential });
    expect(await bodyOf(request(` ${NEW.toUpperCase()}`))).toEqual({ httpStatus: 200, sentTo: NEW });
    expect(await queued(store)).toEqual([['new-address', NEW]]);
    const { path, key } = await link();
    const page = await (await anna.open(path)).text();
    for (const said of ['Anna Ash', 'created on 2026-03-01', ANNA.email, NEW]) expect(page).toContain(said);
    expect((await store.stores.people.find(id))?.email).toBe(ANNA.email);
    const before = anna.session();
    expect((await anna.submit('/change-address', { key })).status).toBe(200);
    expect(anna.session()).not.toBe(before);
    expect(await bodyOf(anna.open(ME))).toMatchObject({ email: NEW, emailVerified: true, passkeys: [] });
    expect((await elsewhere.send('GET', ME)).status).toBe(401);
    expect((await store.publish(token)).status).toBe(401);
    expect((await signInAt(store)).answer.status).toBe(403);
    expect((await signInAt(store, { ...ANNA, email: NEW })).answer.status).toBe(303);
    expect(await queued(store)).toContainEqual(['address-changed', ANNA.email]);
    expect((await anna.open(path)).status).toBe(404);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=email.change'));
    expect(entries).toMatchObject([
      { detail: { sessionsEnded: 2, tokensRevoked: 1, passkeysRemoved: 1, membersRemoved: 0 } },
    ]);
  });

  it('works for the account that requested it only: a victim who opens the link changes nothing', async () => {
    const { store, link } = await opened();
    const { path, key } = await link('victim@example.com');
    expect((await browserAt(store).open(path)).headers.get('location')).toContain('/sign-in?next=');
    const victim = await signUpAt(store, { ...ANNA, name: 'Vic', email: 'vic@example.com' });
    const shown = await victim.open(path);
    expect([shown.status, await shown.text()]).toEqual([403, expect.stringContaining('Anna Ash')]);
    expect((await victim.submit('/change-address', { key })).status).toBe(403);
    expect(await store.stores.people.findByEmail('victim@example.com')).toBeNull();
  });

  it('needs a proof of identity that is at most ten minutes old, for the mail and for the change', async () => {
    const { store, anna, request, link } = await opened();
    const { path, key } = await link();
    store.advance(11 * 60_000);
    expect(await bodyOf(request(NEW))).toMatchObject({ code: 'reauthentication_required' });
    expect((await anna.open(path)).headers.get('location')).toMatch(/^\/sign-in\?.*again/);
    expect((await anna.submit('/change-address', { key })).status).toBe(403);
  });

  it('sends no mail to the address of another account, and does not reveal that', async () => {
    const { store, anna, request, link } = await opened();
    await signUpAt(store, { ...ANNA, email: 'ben@example.com' });
    expect(await bodyOf(request('ben@example.com'))).toEqual({ httpStatus: 200, sentTo: 'ben@example.com' });
    expect(await queued(store)).toEqual([]);
    // An account that has taken the address since keeps it.
    const { key } = await link('ben@example.com');
    expect((await anna.submit('/change-address', { key })).status).toBe(409);
  });

  it('refuses links that are old, changed, superseded, or of a suspended user', async () => {
    const { store, anna, id, link } = await opened();
    const { path, key } = await link();
    const [person = '', email = '', until = '', mac = ''] = key.split('.');
    const evil = Buffer.from('evil@example.com').toString('base64url');
    const forged = [
      [person, evil, until, mac],
      [evil, email, until, mac],
      [person, email, '9'.repeat(13), mac],
      [''],
    ];
    for (const parts of forged) {
      expect((await anna.open(`/change-address?key=${parts.join('.')}`)).status).toBe(404);
    }
    await store.stores.people.recover(id, store.clock().toISOString());
    expect((await anna.open(path)).status).toBe(404);
    const newer = await link();
    expect((await anna.open(newer.path)).status).toBe(200);
    store.advance(3_600_000);
    await store.prove({ personId: id, cookie: '', csrf: '' });
    expect((await anna.open(newer.path)).status).toBe(404);
    await store.stores.people.change(id, { suspended: true });
    expect(await addressLink(store, id, NEW)).toBeNull();
  });

  it('is limited to five mails an hour of one session, and refused for the present address', async () => {
    const { request } = await opened();
    expect(await bodyOf(request(ANNA.email))).toMatchObject({ code: 'already_handled' });
    for (let n = 0; n < 5; n += 1) expect((await request(`n${n}@example.com`)).status).toBe(200);
    expect((await request('n6@example.com')).status).toBe(429);
  });

  it('is not possible where the store sends no mail', async () => {
    const store = await openTestStore();
    const anna = await signUpAt(store);
    expect((await anna.script('PUT', `${ME}/email`, { email: NEW })).status).toBe(404);
  });

  it.each([0, 1, 2, 3])(
    'leaves nothing that others publish or sign in with at the same moment (%i)',
    BOTH_DATABASES,
    async (round) => {
      const { store, anna, id, link } = await opened();
      const twin = await twinOf(store);
      await anna.script('POST', '/api/publishers', { slug: 'annas', name: 'Annas' });
      const { token } = await jsonOf<{ token: string }>(anna.script('POST', `${ME}/tokens`, { name: 'ci' }));
      const { browser: elsewhere } = await signInAt(twin);
      await elsewhere.open(ME);
      const { path, key } = await link();
      await anna.open(path);
      const acts = [
        () => twin.publish(token, { publisher: 'annas' }),
        () => signInAt(twin).then(({ answer }) => answer),
        () => elsewhere.script('POST', `${ME}/tokens`, { name: 'another' }),
        () => elsewhere.script('PATCH', ME, { name: 'Eve' }),
      ];
      const order = [...acts.slice(round), ...acts.slice(0, round)];
      const changed = anna.submit('/change-address', { key });
      const answers = await Promise.all(order.map((act) => act()));
      expect((await changed).status).toBe(200);
      expect(answers.every(({ status }) => [200, 201, 303, 401, 403].includes(status))).toBe(true);
      const now = store.clock().toISOString();
      expect(await store.stores.tokens.liveOf({ personId: id }, now)).toEqual([]);
      expect((await elsewhere.send('GET', ME)).status).toBe(401);
      expect((await store.publish(token, { publisher: 'annas', version: '2.0.0' })).status).toBe(401);
    },
  );

  it('goes to one of several accounts that change to the same address at once', BOTH_DATABASES, async () => {
    const { store, anna, link } = await opened();
    const ben = await signUpAt(store, { ...ANNA, email: 'ben@example.com' });
    const benId = (await store.stores.people.findByEmail('ben@example.com'))?.id ?? '';
    const keys = [(await link()).key, (await link(NEW, benId)).key];
    const answers = await Promise.all(
      [anna, ben].map((browser, n) => browser.submit('/change-address', { key: keys[n] ?? '' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
