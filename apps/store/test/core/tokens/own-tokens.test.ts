import { describe, expect, it } from 'vitest';
import { contentsOf } from '../../support/database.ts';
import { deviceToken } from '../../support/device.ts';
import {
  ADMIN_TOKEN,
  BASE_URL,
  bodyOf,
  jsonOf,
  openTestStore,
  type TestSession,
  type TestStore,
  twinOf,
} from '../../support/test-store.ts';

const MINE = '/api/people/me/tokens';
const OURS = '/api/publishers/acme/tokens';
const DAY = 24 * 3_600_000;

/** A store with two publishers: anna owns acme, ben is a member of it, and eve owns the other. */
async function opened() {
  const store = await openTestStore();
  for (const slug of ['acme', 'other'])
    await store.admin('POST', '/api/admin/publishers', { slug, name: slug });
  return {
    store,
    anna: await store.signedIn('anna', { membership: { acme: 'owner' } }),
    ben: await store.signedIn('ben', { membership: { acme: 'member' } }),
    eve: await store.signedIn('eve', { membership: { other: 'owner' } }),
  };
}

const make = (store: TestStore, session: TestSession, json: object = {}, path = MINE) =>
  store.call('POST', path, { session, json: { name: 'laptop', ...json } });

const tokenOf = async (made: Promise<Response>) => jsonOf<{ id: string; token: string }>(made);

const list = async (store: TestStore, session: TestSession, path = MINE) =>
  (await bodyOf(store.call('GET', path, { session }))).tokens;

const whoAmI = (store: TestStore, token: string) => store.call('GET', '/api/developer/whoami', { token });

describe('the token of a user', () => {
  it('is shown once when it is created, and then listed without its secret', async () => {
    const { store, anna } = await opened();
    const { httpStatus, token, ...shown } = await bodyOf(make(store, anna));
    expect(httpStatus).toBe(201);
    expect(token).toMatch(/^svcp_/);
    expect(shown).toEqual({
      id: expect.any(String),
      name: 'laptop',
      kind: 'personal',
      scopes: ['publish:new', 'publish:update', 'yank', 'status', 'read'],
      createdAt: '2026-03-01T12:00:00.000Z',
      expiresAt: '2026-05-30T12:00:00.000Z',
    });
    expect(await list(store, anna)).toEqual([shown]);
    expect(JSON.stringify(await list(store, anna))).not.toContain(token.slice(5, 12));
    expect(await contentsOf(store.folder)).not.toContain(token);
    expect(store.lines.join('\n')).not.toContain(token);
  });

  it('can be bound to a publisher, an app, scopes and a number of days', async () => {
    const { store, anna } = await opened();
    const bound = { publisher: 'acme', appId: 'com.acme.new', scopes: ['status', 'status'], days: 1 };
    const made = await bodyOf(make(store, anna, bound));
    const binding = { publisher: 'acme', appId: 'com.acme.new', scopes: ['status'] };
    expect(made).toMatchObject({ ...binding, expiresAt: '2026-03-02T12:00:00.000Z' });
    expect(await bodyOf(whoAmI(store, made.token))).toMatchObject({
      token: { ...binding, kind: 'personal' },
    });
    store.advance(DAY);
    expect((await whoAmI(store, made.token)).status).toBe(401);
    expect(await list(store, anna)).toEqual([]);
  });

  it.each([
    [{ name: '' }],
    [{ name: 'x'.repeat(81) }],
    [{ scopes: [] }],
    [{ scopes: ['admin'] }],
    [{ days: 0 }],
    [{ days: 366 }],
    [{ days: 1.5 }],
    [{ appId: '' }],
    [{ publisher: '../acme' }],
    [{ kind: 'ci' }],
    [{ personId: 'ben' }],
  ])('is not created from %j', async (json) => {
    const { store, anna } = await opened();
    expect(await bodyOf(make(store, anna, json))).toMatchObject({ httpStatus: 400, code: 'invalid_request' });
  });

  it.each(['other', 'nobody'])(
    'cannot be bound to a publisher that its user is not a member of: %s',
    async (publisher) => {
      const { store, anna } = await opened();
      const refused = { httpStatus: 403, code: 'not_a_member' };
      expect(await bodyOf(make(store, anna, { publisher }))).toMatchObject(refused);
    },
  );

  it('cannot be bound to an app of a publisher without membership, or of another publisher than its own', async () => {
    const { store, anna, eve } = await opened();
    const theirs = await tokenOf(make(store, eve, { publisher: 'other' }));
    await store.publish(theirs.token, { id: 'com.other.app', publisher: 'other' });
    const refused = { httpStatus: 409, code: 'id_taken' };
    expect(await bodyOf(make(store, anna, { appId: 'com.other.app' }))).toMatchObject(refused);
    const both = await store.signedIn('both', { membership: { acme: 'member', other: 'member' } });
    expect((await make(store, both, { appId: 'com.other.app' })).status).toBe(201);
    const elsewhere = { publisher: 'acme', appId: 'com.other.app' };
    expect(await bodyOf(make(store, both, elsewhere))).toMatchObject(refused);
  });

  it('cannot publish another app, or for another publisher, than it is bound to', async () => {
    const { store, anna } = await opened();
    await store.stores.members.add({ publisher: 'other', personId: 'anna', role: 'owner', since: '2026' });
    const { token } = await tokenOf(make(store, anna, { publisher: 'acme', appId: 'com.acme.app' }));
    expect(await bodyOf(store.publish(token, { id: 'com.acme.app', publisher: 'other' }))).toMatchObject({
      httpStatus: 403,
    });
    expect(await bodyOf(store.publish(token, { id: 'com.acme.more', publisher: 'acme' }))).toMatchObject({
      httpStatus: 403,
    });
    expect((await store.publish(token, { id: 'com.acme.app', publisher: 'acme' })).status).toBe(201);
  });

  it('stops working once revoked, and only its owner can revoke it', async () => {
    const { store, anna, ben } = await opened();
    const { id, token } = await tokenOf(make(store, anna));
    const revoke = (session: TestSession) => store.call('DELETE', `${MINE}/${id}`, { session });
    expect((await revoke(ben)).status).toBe(404);
    expect((await whoAmI(store, token)).status).toBe(200);
    expect(await bodyOf(revoke(anna))).toEqual({
      httpStatus: 200,
      id,
      revokedAt: '2026-03-01T12:00:00.000Z',
    });
    expect((await whoAmI(store, token)).status).toBe(401);
    expect((await revoke(anna)).status).toBe(404);
    expect(await list(store, anna)).toEqual([]);
    const { entries } = await bodyOf(store.call('GET', '/api/admin/audit', { token: ADMIN_TOKEN }));
    expect(entries.slice(0, 2)).toMatchObject([
      {
        actor: 'person:anna',
        action: 'token.revoke',
        tokenId: id,
        detail: { kind: 'personal', name: 'laptop' },
      },
      { actor: 'person:anna', action: 'token.issue', tokenId: id },
    ]);
  });

  it('stops working in all processes once revoked in one', async () => {
    const { store, anna } = await opened();
    const other = await twinOf(store);
    for (let round = 0; round < 5; round += 1) {
      const { id, token } = await tokenOf(make(store, anna));
      expect((await whoAmI(other, token)).status).toBe(200);
      expect((await store.call('DELETE', `${MINE}/${id}`, { session: anna })).status).toBe(200);
      expect((await whoAmI(other, token)).status).toBe(401);
    }
  });

  it('immediately loses access when its user leaves the publisher or is suspended', async () => {
    const { store, ben } = await opened();
    const { token } = await tokenOf(make(store, ben));
    const bound = await tokenOf(make(store, ben, { publisher: 'acme' }));
    await store.stores.members.remove('acme', 'ben');
    expect((await bodyOf(whoAmI(store, token))).publishers).toEqual([]);
    expect((await bodyOf(whoAmI(store, bound.token))).publishers).toEqual([]);
    expect((await bodyOf(store.publish(bound.token, { publisher: 'acme' }))).code).toBe('not_a_member');
    await store.stores.people.change('ben', { suspended: true });
    expect((await whoAmI(store, token)).status).toBe(401);
  });

  it('cannot create, list or revoke tokens', async () => {
    const { store, anna } = await opened();
    const { id, token } = await tokenOf(make(store, anna));
    for (const bearer of [token, ADMIN_TOKEN]) {
      for (const path of [MINE, OURS]) {
        expect((await store.call('GET', path, { token: bearer })).status).toBe(403);
        expect((await store.call('POST', path, { token: bearer, json: { name: 'more' } })).status).toBe(403);
        expect((await store.call('DELETE', `${path}/${id}`, { token: bearer })).status).toBe(403);
      }
    }
  });

  it('is limited to 50 per user, also with concurrent requests', async () => {
    const { store, anna } = await opened();
    const answers = await Promise.all(Array.from({ length: 60 }, () => make(store, anna)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(10);
    const [{ id }] = await list(store, anna);
    await store.call('DELETE', `${MINE}/${id}`, { session: anna });
    expect((await make(store, anna)).status).toBe(201);
  });

  it('cannot be created without a CSRF token, or from another site', async () => {
    const { store, anna } = await opened();
    const { cookie, csrf } = anna;
    const forged = [{ cookie }, { cookie, origin: BASE_URL }];
    const foreign = { cookie, 'x-svc-csrf': csrf, origin: 'https://evil.example' };
    for (const headers of [...forged, foreign]) {
      const refused = await bodyOf(store.call('POST', MINE, { json: { name: 'stolen' }, headers }));
      expect(refused).toMatchObject({ httpStatus: 403, code: 'forbidden' });
    }
    expect(await list(store, anna)).toEqual([]);
    const headers = { ...foreign, origin: BASE_URL };
    expect((await store.call('POST', MINE, { json: { name: 'mine' }, headers })).status).toBe(201);
  });
});

describe('the token of a publisher', () => {
  it('is created, listed and revoked by owners, and stays valid when its creator leaves', async () => {
    const { store, anna } = await opened();
    const made = await bodyOf(make(store, anna, { days: 365 }, OURS));
    expect(made).toMatchObject({
      httpStatus: 201,
      kind: 'ci',
      publisher: 'acme',
      expiresAt: '2027-03-01T12:00:00.000Z',
    });
    expect(made.token).toMatch(/^svcc_/);
    await store.stores.members.remove('acme', 'anna');
    expect(await bodyOf(whoAmI(store, made.token))).toEqual({
      httpStatus: 200,
      kind: 'token',
      token: expect.objectContaining({ id: made.id, publisher: 'acme' }),
      publishers: [{ slug: 'acme', name: 'acme', role: 'member', verified: false }],
    });
    const later = await store.signedIn('later', { membership: { acme: 'owner' } });
    expect(await list(store, later, OURS)).toMatchObject([{ id: made.id, name: 'laptop' }]);
    expect((await store.call('DELETE', `${OURS}/${made.id}`, { session: later })).status).toBe(200);
    expect((await whoAmI(store, made.token)).status).toBe(401);
  });

  it.each([
    ['ben', 'forbidden'],
    ['eve', 'not_a_member'],
  ] as const)('cannot be created, listed or revoked by %s, who is not an owner', async (who, code) => {
    const world = await opened();
    const { store } = world;
    const { id } = await tokenOf(make(store, world.anna, {}, OURS));
    const session = world[who];
    const refused = { httpStatus: 403, code };
    expect(await bodyOf(make(store, session, {}, OURS))).toMatchObject(refused);
    expect(await bodyOf(store.call('GET', OURS, { session }))).toMatchObject(refused);
    expect(await bodyOf(store.call('DELETE', `${OURS}/${id}`, { session }))).toMatchObject(refused);
    expect(await list(store, world.anna, OURS)).toHaveLength(1);
  });

  it('is not revoked under another publisher, nor is the token of a user', async () => {
    const { store, anna, eve } = await opened();
    const theirs = await tokenOf(make(store, eve, {}, '/api/publishers/other/tokens'));
    const mine = await tokenOf(make(store, anna, { publisher: 'acme' }));
    for (const { id, token } of [theirs, mine]) {
      expect((await store.call('DELETE', `${OURS}/${id}`, { session: anna })).status).toBe(404);
      expect((await whoAmI(store, token)).status).toBe(200);
    }
    expect(await list(store, anna, OURS)).toEqual([]);
  });

  it('is limited to 50 per publisher, created by owners or by automation', async () => {
    const { store, anna } = await opened();
    for (let n = 0; n < 49; n += 1) await make(store, anna, {}, OURS);
    const byAutomation = () => store.admin('POST', '/api/admin/tokens', { publisher: 'acme' });
    expect((await byAutomation()).status).toBe(201);
    expect(await bodyOf(byAutomation())).toMatchObject({ httpStatus: 409, code: 'limit_reached' });
    expect(await bodyOf(make(store, anna, {}, OURS))).toMatchObject({
      httpStatus: 409,
      code: 'limit_reached',
    });
    expect((await make(store, anna)).status).toBe(201);
  });
});

describe('tokens', () => {
  it('are created for a publisher with all or the requested scopes, valid for 90 days', async () => {
    const store = await openTestStore();
    await store.admin('POST', '/api/admin/publishers', { slug: 'acme', name: 'Acme' });
    const made = await bodyOf(store.admin('POST', '/api/admin/tokens', { publisher: 'acme' }));
    expect(made).toMatchObject({
      httpStatus: 201,
      token: expect.stringMatching(/^svcc_/),
      scopes: ['publish:new', 'publish:update', 'yank', 'status', 'read'],
      expiresAt: '2026-05-30T12:00:00.000Z',
    });
    const narrow = await bodyOf(
      store.admin('POST', '/api/admin/tokens', { publisher: 'acme', scopes: ['status', 'status'] }),
    );
    expect(narrow.scopes).toEqual(['status']);
    expect(narrow.token).not.toBe(made.token);
  });

  it.each([
    [{ publisher: 'unknown' }, 404, 'unknown_publisher'],
    [{}, 400, 'invalid_request'],
    [{ publisher: 'acme', scopes: [] }, 400, 'invalid_request'],
    [{ publisher: 'acme', scopes: ['admin'] }, 400, 'invalid_request'],
  ])('are refused for %j', async (json, httpStatus, code) => {
    const store = await openTestStore();
    expect(await bodyOf(store.admin('POST', '/api/admin/tokens', json))).toMatchObject({ httpStatus, code });
  });

  it('are created only by administrators', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    expect(
      (await store.call('POST', '/api/admin/tokens', { token, json: { publisher: 'example' } })).status,
    ).toBe(403);
  });
});

describe('whoami', () => {
  const whoAmI = '/api/developer/whoami';

  describe('GET /api/developer/whoami', () => {
    it('returns a signed-in user with the roles at publishers', async () => {
      const store = await openTestStore();
      for (const slug of ['b', 'a'])
        await store.admin('POST', '/api/admin/publishers', { slug, name: slug, verified: slug === 'a' });
      const session = await store.signedIn('anna', { membership: { b: 'member', a: 'owner' } });
      expect(await bodyOf(store.call('GET', whoAmI, { session }))).toEqual({
        httpStatus: 200,
        kind: 'person',
        person: { id: 'anna', name: 'anna', email: 'anna@example.com' },
        publishers: [
          { slug: 'a', name: 'a', role: 'owner', verified: true },
          { slug: 'b', name: 'b', role: 'member', verified: false },
        ],
      });
    });

    it('returns the kind automation for the administration token', async () => {
      const store = await openTestStore();
      expect(await bodyOf(store.call('GET', whoAmI, { token: ADMIN_TOKEN }))).toEqual({
        httpStatus: 200,
        kind: 'automation',
        publishers: [],
      });
    });

    it('is refused without a session or token', async () => {
      const store = await openTestStore();
      expect((await store.call('GET', whoAmI)).status).toBe(401);
    });
  });

  describe('DELETE /api/developer/token', () => {
    it('revokes the token of a device or a publisher that calls it, and no other token', async () => {
      const store = await openTestStore();
      const ofPublisher = await store.publisherToken();
      const anna = await store.signedIn('anna');
      const [one, other] = [await deviceToken(store, anna), await deviceToken(store, anna)];
      for (const token of [one, ofPublisher]) {
        const { id } = (await bodyOf(store.call('GET', whoAmI, { token }))).token;
        expect(await bodyOf(store.call('DELETE', '/api/developer/token', { token }))).toMatchObject({
          httpStatus: 200,
          id,
        });
        expect((await store.call('GET', whoAmI, { token })).status).toBe(401);
        expect((await store.call('DELETE', '/api/developer/token', { token })).status).toBe(401);
      }
      expect((await store.call('GET', whoAmI, { token: other })).status).toBe(200);
    });

    it('is refused to a session and to automation', async () => {
      const store = await openTestStore();
      const session = await store.signedIn('anna');
      for (const caller of [{ session }, { token: ADMIN_TOKEN }]) {
        expect(await bodyOf(store.call('DELETE', '/api/developer/token', caller))).toMatchObject({
          httpStatus: 403,
          code: 'forbidden',
        });
      }
    });
  });
});
