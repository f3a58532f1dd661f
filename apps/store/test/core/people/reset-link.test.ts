import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../support/authenticator.ts';
import { ANNA, browserAt, signInAt, signUpAt } from '../../support/browser.ts';
import { contentsOf } from '../../support/database.ts';
import { has } from '../../support/extensions.ts';
import { startSmtp } from '../../support/smtp-server.ts';
import { bodyOf, jsonOf, openTestStore, type TestStore, twinOf } from '../../support/test-store.ts';

const NEW = 'quite another password';

async function annaOf(store: TestStore): Promise<string> {
  return (await store.stores.people.findByEmail(ANNA.email))?.id ?? '';
}

async function linkFor(store: TestStore, id: string) {
  const link = await jsonOf<{ url: string; expiresAt: string }>(
    store.admin('POST', `/api/admin/people/${id}/reset-link`),
  );
  const { pathname, search, searchParams } = new URL(link.url);
  return { ...link, path: pathname + search, key: searchParams.get('key') ?? '' };
}

describe('a link to set a new password', () => {
  it('sets the password once, ends all sessions of the user, and signs in', async () => {
    const store = await openTestStore();
    const before = await signUpAt(store);
    const { path, key, expiresAt } = await linkFor(store, await annaOf(store));
    expect(expiresAt).toBe('2026-03-01T13:00:00.000Z');
    const browser = browserAt(store);
    expect(await (await browser.open(path)).text()).toContain('Set a new password for Anna Ash');
    expect((await browser.submit('/reset', { key, password: NEW })).status).toBe(303);
    expect((await browser.send('GET', '/api/people/me')).status).toBe(200);
    expect((await before.send('GET', '/api/people/me')).status).toBe(401);
    expect((await signInAt(store)).answer.status).toBe(403);
    expect((await signInAt(store, { ...ANNA, password: NEW })).answer.status).toBe(303);
    await browser.open('/api/people/me');
    expect((await browser.open(path)).status).toBe(404);
    expect((await browser.submit('/reset', { key, password: 'a third password' })).status).toBe(404);
  });

  it('works for one of several concurrent requests', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const { path, key } = await linkFor(store, await annaOf(store));
    const browsers = [1, 2, 3, 4].map(() => browserAt(store));
    await Promise.all(browsers.map((browser) => browser.open(path)));
    const answers = await Promise.all(
      browsers.map((browser, i) => browser.submit('/reset', { key, password: `the password number ${i}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404]);
  });

  it('expires after an hour, and is invalidated by any other change of the password', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const { path } = await linkFor(store, await annaOf(store));
    const change = { current: ANNA.password, password: NEW };
    expect((await browser.script('PUT', '/api/people/me/password', change)).status).toBe(200);
    expect((await browserAt(store).open(path)).status).toBe(404);
    const other = await linkFor(store, await annaOf(store));
    store.advance(3_600_000 - 1);
    expect((await browserAt(store).open(other.path)).status).toBe(200);
    store.advance(1);
    expect((await browserAt(store).open(other.path)).status).toBe(404);
  });

  it('is refused if its user, expiry or MAC was changed', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    await signUpAt(store, { ...ANNA, email: 'ben@example.com' });
    const ben = (await store.stores.people.findByEmail('ben@example.com'))?.id ?? '';
    const { key } = await linkFor(store, await annaOf(store));
    const [id = '', until = '', seal = ''] = key.split('.');
    const forged = [
      [Buffer.from(ben).toString('base64url'), until, seal],
      [id, String(Number(until) + 1), seal],
      [id, 'Infinity', seal],
      [id, until, ''],
      [id, until, seal.slice(0, -1)],
    ];
    for (const parts of forged) {
      expect((await browserAt(store).open(`/reset?key=${parts.join('.')}`)).status).toBe(404);
    }
  });

  it('is refused for a suspended user', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const id = await annaOf(store);
    const { path } = await linkFor(store, id);
    await store.admin('PATCH', `/api/admin/people/${id}`, { suspended: true });
    expect((await browserAt(store).open(path)).status).toBe(404);
  });

  it('is created only by administrators, with an audit entry, and is neither in the database nor in the log', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const id = await annaOf(store);
    const moderator = await store.signedIn('mona', { role: 'moderator' });
    const path = `/api/admin/people/${id}/reset-link`;
    expect((await store.call('POST', path, { session: moderator })).status).toBe(403);
    expect(await bodyOf(store.admin('POST', '/api/admin/people/nobody/reset-link'))).toMatchObject({
      httpStatus: 404,
    });
    const { key } = await linkFor(store, id);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=password.link'));
    expect(entries).toMatchObject([{ actor: 'automation', detail: { person: id } }]);
    expect(await contentsOf(store.folder)).not.toContain(key.split('.')[2]);
    expect(store.lines.join('\n')).not.toContain(key.split('.')[2]);
  });
});

const PASSKEYS = '/api/people/me/passkeys';

/** Everything that an attacker can prepare in an account with the address of another user. */
async function prepareAttack(store: TestStore) {
  const browser = await signUpAt(store);
  const token = await jsonOf<{ token: string }>(
    browser.script('POST', '/api/people/me/tokens', { name: 'mine', days: 365 }),
  );
  const authenticator = createAuthenticator();
  const options = await bodyOf(browser.script('POST', `${PASSKEYS}/options`));
  const credential = authenticator.create(options);
  const added = await browser.script('POST', PASSKEYS, { label: 'mine', credential });
  expect(added.status).toBe(201);
  const device = await jsonOf<{ deviceCode: string; userCode: string }>(
    store.call('POST', '/api/developer/device/start'),
  );
  await browser.open('/device');
  const page = await (await browser.submit('/device', { code: device.userCode })).text();
  const seal = /name="seal" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const scopes = { 'publish:new': 'on', 'publish:update': 'on', yank: 'on' };
  const approval = { code: device.userCode, seal, publisher: '', answer: 'approve', ...scopes };
  expect((await browser.submit('/device/answer', approval)).status).toBe(200);
  return { browser, token: token.token, authenticator, device };
}

/** Signs in with a passkey. */
async function signInWith(store: TestStore, authenticator: ReturnType<typeof createAuthenticator>) {
  const browser = browserAt(store);
  await browser.open('/sign-in');
  const options = await bodyOf(browser.script('POST', '/api/sign-in/passkey/options'));
  return browser.script('POST', '/api/sign-in/passkey', { credential: authenticator.get(options) });
}

describe('a recovery of an account that an attacker prepared with the address of the victim', () => {
  it('by mail ends the passkey, the token, the device sign-in and the session, and proves the address', async () => {
    // The attacker used the address in a store that sent no mail then, or before an address had to be confirmed.
    const earlier = await openTestStore();
    const attack = await prepareAttack(earlier);
    await earlier.close();
    const { received, url } = await startSmtp();
    const environment = { SVC_SMTP_URL: url, SVC_MAIL_FROM: 'store@store.test' };
    const store = await openTestStore({ folder: earlier.folder, environment });
    const victim = browserAt(store);
    await victim.open('/forgotten');
    await victim.submit('/forgotten', { email: ANNA.email });
    await store.sendDueMails();
    await expect.poll(() => received.length).toBeGreaterThan(0);
    const mail = (received.at(-1)?.raw ?? '').replace(/=\r?\n/g, '').replaceAll('=3D', '=');
    const key = /\/reset\?key=(\S+)/.exec(mail)?.[1] ?? '';
    await victim.open(`/reset?key=${key}`);
    expect((await victim.submit('/reset', { key, password: NEW })).status).toBe(303);
    await victim.open('/api/people/me');
    const made = await victim.script('POST', '/api/publishers', { slug: 'annas', name: 'Annas' });
    expect(made.status).toBe(201);
    expect(await bodyOf(victim.send('GET', '/api/people/me'))).toMatchObject({
      emailVerified: true,
      passkeys: [],
    });
    expect((await signInWith(store, attack.authenticator)).status).toBe(403);
    expect((await store.publish(attack.token, { publisher: 'annas' })).status).toBe(401);
    const cookie = `__Host-svc-session=${attack.browser.session()}`;
    expect((await store.call('GET', '/api/people/me', { headers: { cookie } })).status).toBe(401);
    const poll = { json: { deviceCode: attack.device.deviceCode } };
    expect(await bodyOf(store.call('POST', '/api/developer/device/poll', poll))).toMatchObject({
      httpStatus: 410,
    });
    // Opened again, the mail says that its link was used, and what to do.
    const again = await victim.open(`/reset?key=${key}`);
    expect([again.status, await again.text()]).toEqual([404, expect.stringContaining('sign in with it')]);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?action=password.set'));
    expect(entries[0].detail).toEqual({
      way: 'reset link',
      sessionsEnded: 1,
      tokensRevoked: 1,
      workflowsRemoved: 0,
      webhooksRemoved: 0,
      passkeysRemoved: 1,
      identitiesRemoved: 0,
      invitationsRevoked: 0,
      devicesEnded: 1,
      membersRemoved: 0,
    });
  });

  it('works also when the attacker removed the password and kept the passkey', async () => {
    const store = await openTestStore();
    const { browser, authenticator } = await prepareAttack(store);
    await browser.open('/api/people/me');
    expect((await browser.script('DELETE', '/api/people/me/password')).status).toBe(200);
    const { path, key } = await linkFor(store, await annaOf(store));
    const victim = browserAt(store);
    await victim.open(path);
    expect((await victim.submit('/reset', { key, password: NEW })).status).toBe(303);
    expect((await signInWith(store, authenticator)).status).toBe(403);
    // Without its password again, the account is not open to the link that was used.
    await victim.open('/api/people/me');
    const options = await bodyOf(victim.script('POST', `${PASSKEYS}/options`));
    const credential = createAuthenticator().create(options);
    await victim.script('POST', PASSKEYS, { label: 'own', credential });
    expect((await victim.script('DELETE', '/api/people/me/password')).status).toBe(200);
    expect((await browserAt(store).open(path)).status).toBe(404);
  });

  it('ends the publisher tokens and invitations that the attacker created as an owner', async () => {
    const store = await openTestStore();
    const { browser } = await prepareAttack(store);
    await browser.open('/api/people/me');
    await browser.script('POST', '/api/publishers', { slug: 'annas', name: 'Annas' });
    const { token } = await jsonOf<{ token: string }>(
      browser.script('POST', '/api/publishers/annas/tokens', { name: 'ci', days: 365 }),
    );
    const invited = await jsonOf<{ url: string }>(
      browser.script('POST', '/api/publishers/annas/invitations', { role: 'owner' }),
    );
    expect((await store.publish(token, { publisher: 'annas' })).status).toBe(201);
    const { path, key } = await linkFor(store, await annaOf(store));
    const victim = browserAt(store);
    await victim.open(path);
    await victim.submit('/reset', { key, password: NEW });
    expect((await store.publish(token, { publisher: 'annas', version: '1.0.1' })).status).toBe(401);
    const friend = await store.signedIn('friend');
    const opened = await store.call('GET', new URL(invited.url).pathname, { session: friend });
    expect(opened.status).toBe(404);
  });

  it('ends the memberships that the attacker gave, and keeps those that a proved account gave', async () => {
    for (const [emailVerified, left] of [
      [false, 1],
      [true, 2],
    ] as const) {
      const store = await openTestStore();
      const attacker = await signUpAt(store);
      await store.stores.people.change(await annaOf(store), { emailVerified });
      await attacker.script('POST', '/api/publishers', { slug: 'annas', name: 'Annas' });
      const invited = await jsonOf<{ url: string }>(
        attacker.script('POST', '/api/publishers/annas/invitations', { role: 'owner' }),
      );
      const session = await store.signedIn('accomplice');
      const accepted = await store.call('POST', new URL(invited.url).pathname, {
        session,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ csrf: session.csrf }).toString(),
      });
      expect(accepted.status).toBeLessThan(400);
      expect(await store.stores.members.of('annas')).toHaveLength(2);
      const { path, key } = await linkFor(store, await annaOf(store));
      const victim = browserAt(store);
      await victim.open(path);
      await victim.submit('/reset', { key, password: NEW });
      expect(await store.stores.members.of('annas')).toHaveLength(left);
    }
  });

  it.each([0, 1, 2, 3])(
    'leaves nothing that the attacker publishes or signs in with at the same moment (%i)',
    BOTH_DATABASES,
    async (round) => {
      const store = await openTestStore();
      const twin = await twinOf(store);
      const { browser, token, authenticator } = await prepareAttack(store);
      await browser.open('/api/people/me');
      await browser.script('POST', '/api/publishers', { slug: 'annas', name: 'Annas' });
      const { path, key } = await linkFor(store, await annaOf(store));
      const victim = browserAt(store);
      await victim.open(path);
      const attacks = [
        () => twin.publish(token, { publisher: 'annas' }),
        () => signInWith(twin, authenticator),
        () => signInAt(twin).then(({ answer }) => answer),
        () => browser.script('POST', '/api/people/me/tokens', { name: 'another' }),
      ];
      const order = [...attacks.slice(round), ...attacks.slice(0, round)];
      const recovered = victim.submit('/reset', { key, password: NEW });
      const answers = await Promise.all(order.map((attack) => attack()));
      expect((await recovered).status).toBe(303);
      // Each was before the recovery, or was refused: nothing is open after it.
      expect(answers.every(({ status }) => [200, 201, 303, 401, 403].includes(status))).toBe(true);
      const id = await annaOf(store);
      const now = store.clock().toISOString();
      expect(await store.stores.sessions.of(id, now)).toHaveLength(1);
      expect(await store.stores.tokens.liveOf({ personId: id }, now)).toEqual([]);
      expect((await store.publish(token, { publisher: 'annas', version: '2.0.0' })).status).toBe(401);
    },
  );
});

describe('an unconfirmed address, where the store sends mail', () => {
  it('makes no token, passkey, publisher or review, and works after the confirmation', async () => {
    const store = await openTestStore({
      environment: { SVC_SMTP_URL: 'smtp://127.0.0.1:1', SVC_MAIL_FROM: 'store@store.test' },
    });
    const browser = await signUpAt(store);
    const attempts = [
      ['POST', '/api/people/me/tokens', { name: 'mine' }],
      ['POST', `${PASSKEYS}/options`, undefined],
      ['POST', '/api/publishers', { slug: 'annas', name: 'Annas' }],
    ] as const;
    const review = ['PUT', '/api/apps/com.example.notes/reviews/mine', { rating: 5 }] as const;
    for (const [method, path, json] of [...attempts, ...(has('ratings') ? [review] : [])]) {
      expect(await bodyOf(browser.script(method, path, json))).toMatchObject({
        httpStatus: 403,
        code: 'email_unverified',
      });
    }
    await store.stores.people.change(await annaOf(store), { emailVerified: true });
    expect((await browser.script('POST', '/api/people/me/tokens', { name: 'mine' })).status).toBe(201);
  });
});
