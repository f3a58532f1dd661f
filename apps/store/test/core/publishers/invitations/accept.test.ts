import { generateKeyPairSync } from 'node:crypto';
import { runs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { invitationLinks } from '../../../../src/core/publishers/invitations/accept.ts';
import { createMac } from '../../../../src/platform/secret.ts';
import { openPublisherStore } from '../../../support/people.ts';
import { BASE_URL, jsonOf, type TestSession } from '../../../support/test-store.ts';

type Opened = Awaited<ReturnType<typeof openPublisherStore>>;

const invited = async (store: Opened, role = 'member', by: 'anna' | 'ben' = 'anna') => {
  const made = await jsonOf<{ id: string; url: string }>(store.as(by, 'POST', '/invitations', { role }));
  return { id: made.id, path: made.url.slice(BASE_URL.length) };
};

/** Sends the form of the page that accepts an invitation. */
const accept = (store: Opened, path: string, session: TestSession, csrf = session.csrf) =>
  store.call('POST', path, {
    body: new URLSearchParams({ csrf }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: session.cookie,
      origin: BASE_URL,
    },
  });

const statusesOf = async (answers: Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ status }) => status).sort();

describe('accepting an invitation', () => {
  it.each(['member', 'owner'])('adds the user as %s, once', async (role) => {
    const store = await openPublisherStore();
    const { path, id } = await invited(store, role);
    expect((await accept(store, path, store.sessions.carl)).status).toBe(200);
    expect(await store.roster()).toMatchObject({ carl: role });
    const dora = await store.signedIn('dora');
    expect((await accept(store, path, dora)).status).toBe(404);
    const { entries } = await jsonOf<{ entries: object[] }>(store.admin('GET', '/api/admin/audit'));
    expect(entries[0]).toMatchObject({
      action: 'member.add',
      actor: 'person:carl',
      publisher: 'acme',
      detail: { personId: 'carl', role, invitation: id, invitedBy: 'anna' },
    });
  });

  it('succeeds for one of ten concurrent requests', async () => {
    const store = await openPublisherStore();
    const { path } = await invited(store);
    const sessions = await Promise.all(['d', 'e', 'f', 'g', 'h'].map((name) => store.signedIn(name)));
    const twice = [...sessions, ...sessions];
    const statuses = await statusesOf(twice.map((session) => accept(store, path, session)));
    expect(statuses).toEqual([200, ...Array(9).fill(404)]);
    expect(Object.keys(await store.roster())).toHaveLength(3);
  });

  it('races with a revocation: exactly one of the two succeeds', async () => {
    for (let round = 0; round < runs(8); round += 1) {
      const store = await openPublisherStore();
      const { path, id } = await invited(store);
      const statuses = await statusesOf([
        accept(store, path, store.sessions.carl),
        store.as('anna', 'DELETE', `/invitations/${id}`),
      ]);
      expect(statuses).toEqual([200, 404]);
      await store.close();
    }
  });

  it('shows the same 404 page for a revoked, changed, malformed or expired link', async () => {
    const store = await openPublisherStore();
    const [revoked, tampered, expired] = [await invited(store), await invited(store), await invited(store)];
    await store.as('anna', 'DELETE', `/invitations/${revoked.id}`);
    const wrong = `${tampered.path.slice(0, -1)}${tampered.path.endsWith('A') ? 'B' : 'A'}`;
    const pages: string[] = [];
    const look = async (path: string) => {
      const { sessions } = store;
      const shown = await store.call('GET', path, { session: sessions.carl });
      expect([shown.status, (await accept(store, path, sessions.carl)).status]).toEqual([404, 404]);
      pages.push((await shown.text()).replace(/<code>[^<]*<\/code>/, ''));
    };
    for (const path of [revoked.path, wrong, '/invitations/x', '/invitations/x.y', '/invitations/%00.%ff']) {
      await look(path);
    }
    store.advance(7 * 24 * 3_600_000);
    await look(expired.path);
    expect(new Set(pages).size).toBe(1);
    expect(await store.roster()).toEqual({ anna: 'owner', ben: 'member' });
  });

  it('is refused when the inviter has left, was demoted or suspended', async () => {
    const gone = [
      (store: Opened) => store.as('anna', 'DELETE', '/members/ben'),
      (store: Opened) => store.as('anna', 'PATCH', '/members/ben', { role: 'member' }),
      (store: Opened) => store.as('ben', 'POST', '/transfer', { to: 'anna' }),
      (store: Opened) => store.stores.people.change('ben', { suspended: true }),
    ];
    for (const go of gone) {
      const store = await openPublisherStore({ roles: { anna: 'owner', ben: 'owner' } });
      const { path } = await invited(store, 'owner', 'ben');
      await go(store);
      expect((await accept(store, path, store.sessions.carl)).status).toBe(404);
      expect(await store.roster()).not.toHaveProperty('carl');
      await store.close();
    }
  });

  it('is refused to a member, and the invitation stays valid for another user', async () => {
    const store = await openPublisherStore();
    const { path } = await invited(store, 'owner');
    expect((await accept(store, path, store.sessions.ben)).status).toBe(409);
    expect(await store.roster()).toEqual({ anna: 'owner', ben: 'member' });
    expect((await accept(store, path, store.sessions.carl)).status).toBe(200);
  });

  it('is refused while the publisher is suspended', async () => {
    const store = await openPublisherStore();
    const { path } = await invited(store);
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: true });
    expect((await accept(store, path, store.sessions.carl)).status).toBe(403);
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: false });
    expect((await accept(store, path, store.sessions.carl)).status).toBe(200);
  });

  it('requires the CSRF token of the session, and is refused from another site', async () => {
    const store = await openPublisherStore();
    const { path } = await invited(store);
    const { carl, ben } = store.sessions;
    for (const csrf of ['', 'x', ben.csrf]) {
      expect((await accept(store, path, carl, csrf)).status).toBe(403);
    }
    const elsewhere = { headers: { origin: 'https://evil.example' } };
    const forged = store.call('POST', path, {
      body: new URLSearchParams({ csrf: carl.csrf }).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: carl.cookie,
        ...elsewhere.headers,
      },
    });
    expect((await forged).status).toBe(403);
    expect(await store.roster()).not.toHaveProperty('carl');
  });
});

const { privateKey } = generateKeyPairSync('ed25519');
const linksFor = (purpose: string) => invitationLinks('https://store.test', createMac(privateKey, purpose));

describe('the link of an invitation', () => {
  const links = linksFor('invitation');
  const link = links.url('one').slice('https://store.test/invitations/'.length);

  it('contains the id of the invitation', () => {
    expect(links.idIn(link)).toBe('one');
  });

  it.each([
    ['without its MAC', 'one'],
    ['with an empty MAC', 'one.'],
    ['when it is empty', ''],
    ['with only a dot', '.'],
    ['with the MAC of another id', `two${link.slice(3)}`],
    ['with a truncated MAC', link.slice(0, -1)],
    ['with an extended MAC', `${link}A`],
    ['with two MACs', `${link}${link.slice(3)}`],
    [
      'with a MAC for another purpose',
      linksFor('device').url('one').slice('https://store.test/invitations/'.length),
    ],
  ])('is invalid %s', (_what, forged) => {
    expect(links.idIn(forged)).toBeNull();
  });
});
