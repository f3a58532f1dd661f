import { randomBytes } from 'node:crypto';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { newToken } from '../../src/domain/identity/token-format.ts';
import { hashSecret } from '../../src/platform/secret.ts';
import { openPublisherStore } from '../support/people.ts';
import { bodyOf, jsonOf } from '../support/test-store.ts';

const bothOwn = { roles: { anna: 'owner', ben: 'owner' } } as const;
const statusesOf = async (answers: Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ status }) => status).sort();

describe('the members of a publisher', () => {
  it('are given roles by owners', BOTH_DATABASES, async () => {
    const store = await openPublisherStore();
    expect(await bodyOf(store.as('anna', 'PATCH', '/members/ben', { role: 'owner' }))).toMatchObject({
      httpStatus: 200,
      personId: 'ben',
      role: 'owner',
    });
    expect(await bodyOf(store.as('ben', 'PATCH', '/members/anna', { role: 'member' }))).toMatchObject({
      role: 'member',
    });
    expect(await store.roster()).toEqual({ anna: 'member', ben: 'owner' });
  });

  it('are taken away by owners, and leave by themselves', async () => {
    const store = await openPublisherStore();
    expect(await bodyOf(store.as('ben', 'DELETE', '/members/anna'))).toMatchObject({
      httpStatus: 403,
      code: 'forbidden',
    });
    expect(await bodyOf(store.as('ben', 'DELETE', '/members/ben'))).toMatchObject({
      httpStatus: 200,
      role: 'member',
    });
    expect(await bodyOf(store.as('ben', 'DELETE', '/members/ben'))).toMatchObject({
      httpStatus: 403,
      code: 'not_a_member',
    });
    await store.stores.members.add({
      publisher: 'acme',
      personId: 'ben',
      role: 'member',
      since: '2026-03-01T12:00:00.000Z',
    });
    expect((await store.as('anna', 'DELETE', '/members/ben')).status).toBe(200);
    expect(await store.roster()).toEqual({ anna: 'owner' });
  });

  it.each([
    ['ben', 'forbidden'],
    ['carl', 'not_a_member'],
  ] as const)('are no business of %s', async (name, code) => {
    const store = await openPublisherStore();
    const tries: [string, string, unknown][] = [
      ['PATCH', '/members/ben', { role: 'owner' }],
      ['PATCH', '/members/carl', { role: 'owner' }],
      ['DELETE', '/members/anna', undefined],
      ['POST', '/transfer', { to: name }],
    ];
    for (const [method, path, json] of tries) {
      const answer = await bodyOf(store.as(name, method, path, json));
      // Naming oneself is wrong whoever one is, and tells nothing.
      expect([code, 'invalid_request']).toContain(answer.code);
    }
    expect(await store.roster()).toEqual({ anna: 'owner', ben: 'member' });
  });

  it('are those there are', async () => {
    const store = await openPublisherStore();
    expect((await store.as('anna', 'PATCH', '/members/carl', { role: 'member' })).status).toBe(404);
    expect((await store.as('anna', 'DELETE', '/members/carl')).status).toBe(404);
    expect((await store.as('anna', 'POST', '/transfer', { to: 'carl' })).status).toBe(404);
    expect((await store.as('anna', 'PATCH', '/members/ben', { role: 'administrator' })).status).toBe(400);
  });

  it('stay as they are while the publisher is suspended, but for those who go', async () => {
    const store = await openPublisherStore();
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: true });
    expect(await bodyOf(store.as('anna', 'PATCH', '/members/ben', { role: 'owner' }))).toMatchObject({
      code: 'publisher_suspended',
    });
    expect((await store.as('anna', 'POST', '/transfer', { to: 'ben' })).status).toBe(403);
    expect((await store.as('ben', 'DELETE', '/members/ben')).status).toBe(200);
  });

  it('are on record', async () => {
    const store = await openPublisherStore();
    await store.as('anna', 'POST', '/transfer', { to: 'ben' });
    await store.as('ben', 'PATCH', '/members/anna', { role: 'owner' });
    await store.as('ben', 'DELETE', '/members/anna');
    const { entries } = await jsonOf<{ entries: object[] }>(
      store.admin('GET', '/api/admin/audit?publisher=acme'),
    );
    expect(entries.slice(0, 3)).toMatchObject([
      { action: 'member.remove', actor: 'person:ben', detail: { personId: 'anna', role: 'owner' } },
      { action: 'member.change', actor: 'person:ben', detail: { personId: 'anna', role: 'owner' } },
      { action: 'publisher.transfer', actor: 'person:anna', detail: { to: 'ben' } },
    ]);
  });
});

describe('the last owner', () => {
  it('neither leaves nor steps down', async () => {
    const store = await openPublisherStore();
    expect(await bodyOf(store.as('anna', 'DELETE', '/members/anna'))).toMatchObject({
      httpStatus: 409,
      code: 'last_owner',
    });
    expect(await bodyOf(store.as('anna', 'PATCH', '/members/anna', { role: 'member' }))).toMatchObject({
      code: 'last_owner',
    });
    expect(await store.roster()).toEqual({ anna: 'owner', ben: 'member' });
  });

  it('hands on to a member, and stays as one', async () => {
    const store = await openPublisherStore();
    expect(await bodyOf(store.as('anna', 'POST', '/transfer', { to: 'ben' }))).toMatchObject({
      httpStatus: 200,
      role: 'member',
    });
    expect(await store.roster()).toEqual({ anna: 'member', ben: 'owner' });
    expect((await store.as('ben', 'POST', '/transfer', { to: 'ben' })).status).toBe(400);
  });

  it('is one who can act: beside an owner who is suspended, the other stays', async () => {
    const store = await openPublisherStore(bothOwn);
    await store.stores.people.change('ben', { suspended: true });
    expect(await bodyOf(store.as('anna', 'DELETE', '/members/anna'))).toMatchObject({ code: 'last_owner' });
    expect(await bodyOf(store.as('anna', 'POST', '/transfer', { to: 'ben' }))).toMatchObject({
      code: 'last_owner',
    });
    expect(await store.roster()).toEqual({ anna: 'owner', ben: 'owner' });
  });

  it.each([
    ['both leave', 'DELETE', ['/members/anna', '/members/ben'], undefined],
    ['both step down', 'PATCH', ['/members/anna', '/members/ben'], { role: 'member' }],
  ])('is left when %s at once', BOTH_DATABASES, async (_what, method, [first = '', second = ''], json) => {
    for (let round = 0; round < 5; round += 1) {
      const store = await openPublisherStore(bothOwn);
      const answers = [store.as('anna', method, first, json), store.as('ben', method, second, json)];
      expect(await statusesOf(answers)).toEqual([200, 409]);
      expect(Object.values(await store.roster()).filter((role) => role === 'owner')).toHaveLength(1);
      await store.close();
    }
  });

  it.each([
    ['take each other away', 'DELETE', undefined],
    ['demote each other', 'PATCH', { role: 'member' }],
  ])('is left when two %s at once: who was first is right', BOTH_DATABASES, async (_what, method, json) => {
    for (let round = 0; round < 5; round += 1) {
      const store = await openPublisherStore(bothOwn);
      const answers = [
        store.as('anna', method, '/members/ben', json),
        store.as('ben', method, '/members/anna', json),
      ];
      expect(await statusesOf(answers)).toEqual([200, 403]);
      expect(Object.values(await store.roster()).filter((role) => role === 'owner')).toHaveLength(1);
      await store.close();
    }
  });
});

describe('what membership lets a token do', () => {
  it('ends with it at once', async () => {
    const store = await openPublisherStore();
    const token = newToken('personal', randomBytes);
    await store.stores.tokens.keep({
      hash: hashSecret(token),
      id: 'token-of-ben',
      kind: 'personal',
      name: 'laptop',
      personId: 'ben',
      publisher: null,
      appId: null,
      scopes: ['publish:new', 'publish:update'],
      createdAt: '2026-03-01T12:00:00.000Z',
      expiresAt: '2026-05-01T12:00:00.000Z',
      lastUsedAt: null,
      revokedAt: null,
    });
    const publish = (version: string) => store.publish(token, { publisher: 'acme', version });
    expect((await publish('1.0.0')).status).toBe(201);
    await store.as('anna', 'DELETE', '/members/ben');
    expect(await bodyOf(publish('1.1.0'))).toMatchObject({ httpStatus: 403, code: 'not_a_member' });
  });

  it('never is what an owner does', async () => {
    const store = await openPublisherStore();
    const made = await store.admin('POST', '/api/admin/tokens', { publisher: 'acme' });
    const { token } = await jsonOf<{ token: string }>(made);
    const tries: [string, string, unknown][] = [
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', '/members/ben', undefined],
      ['POST', '/invitations', { role: 'owner' }],
    ];
    for (const [method, path, json] of tries) {
      const body = json !== undefined && { json };
      const answer = store.call(method, `/api/publishers/acme${path}`, { token, ...body });
      expect(await bodyOf(answer)).toMatchObject({ httpStatus: 403, code: 'forbidden' });
    }
  });
});

describe('an administrator', () => {
  const put = (store: Awaited<ReturnType<typeof openPublisherStore>>, personId: string, role: string) =>
    store.admin('PUT', `/api/admin/publishers/acme/members/${personId}`, { role });

  it('gives a publisher an owner that had none, and changes roles', async () => {
    const store = await openPublisherStore({ roles: {} });
    expect(await bodyOf(put(store, 'carl', 'owner'))).toMatchObject({
      httpStatus: 200,
      personId: 'carl',
      role: 'owner',
    });
    expect((await put(store, 'ben', 'member')).status).toBe(200);
    expect((await put(store, 'ben', 'owner')).status).toBe(200);
    expect(await store.roster()).toEqual({ carl: 'owner', ben: 'owner' });
  });

  it('leaves it one, and knows only people who are there', async () => {
    const store = await openPublisherStore();
    expect(await bodyOf(put(store, 'anna', 'member'))).toMatchObject({ code: 'last_owner' });
    expect((await put(store, 'nobody', 'owner')).status).toBe(404);
    const nowhere = store.admin('PUT', '/api/admin/publishers/nobody/members/anna', { role: 'owner' });
    expect((await nowhere).status).toBe(404);
  });
});
