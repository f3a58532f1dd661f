import { randomBytes } from 'node:crypto';
import { BOTH_DATABASES, runs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { newToken } from '../../../src/core/domain/identity/token-format.ts';
import { hashSecret } from '../../../src/platform/secret.ts';
import { needsExtension } from '../../support/extensions.ts';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf, jsonOf } from '../../support/test-store.ts';

const bothOwn = { roles: { anna: 'owner', ben: 'owner' } } as const;
const statusesOf = async (answers: Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ status }) => status).sort();

describe('the members of a publisher', () => {
  it('get their roles from owners', BOTH_DATABASES, async () => {
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

  it('are removed only by owners, and can leave by themselves', async () => {
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
  ] as const)('cannot be changed by %s, who is not an owner', async (name, code) => {
    const store = await openPublisherStore();
    const tries: [string, string, unknown][] = [
      ['PATCH', '/members/ben', { role: 'owner' }],
      ['PATCH', '/members/carl', { role: 'owner' }],
      ['DELETE', '/members/anna', undefined],
      ['POST', '/transfer', { to: name }],
    ];
    for (const [method, path, json] of tries) {
      const answer = await bodyOf(store.as(name, method, path, json));
      // A transfer to oneself is invalid for every caller, so this code reveals nothing.
      expect([code, 'invalid_request']).toContain(answer.code);
    }
    expect(await store.roster()).toEqual({ anna: 'owner', ben: 'member' });
  });

  it('must exist to be changed, removed or made owner, and must get a known role', async () => {
    const store = await openPublisherStore();
    expect((await store.as('anna', 'PATCH', '/members/carl', { role: 'member' })).status).toBe(404);
    expect((await store.as('anna', 'DELETE', '/members/carl')).status).toBe(404);
    expect((await store.as('anna', 'POST', '/transfer', { to: 'carl' })).status).toBe(404);
    expect((await store.as('anna', 'PATCH', '/members/ben', { role: 'administrator' })).status).toBe(400);
  });

  it('cannot be changed while the publisher is suspended, but can leave', async () => {
    const store = await openPublisherStore();
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: true });
    expect(await bodyOf(store.as('anna', 'PATCH', '/members/ben', { role: 'owner' }))).toMatchObject({
      code: 'publisher_suspended',
    });
    expect((await store.as('anna', 'POST', '/transfer', { to: 'ben' })).status).toBe(403);
    expect((await store.as('ben', 'DELETE', '/members/ben')).status).toBe(200);
  });

  it('have their changes recorded in the audit log', async () => {
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
  it('cannot leave or step down', async () => {
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

  it('can transfer the publisher to a member, and becomes a member', async () => {
    const store = await openPublisherStore();
    expect(await bodyOf(store.as('anna', 'POST', '/transfer', { to: 'ben' }))).toMatchObject({
      httpStatus: 200,
      role: 'member',
    });
    expect(await store.roster()).toEqual({ anna: 'member', ben: 'owner' });
    expect((await store.as('ben', 'POST', '/transfer', { to: 'ben' })).status).toBe(400);
  });

  it('cannot leave, or transfer to the other owner, if that owner is suspended', async () => {
    const store = await openPublisherStore(bothOwn);
    await store.stores.people.change('ben', { suspended: true });
    expect(await bodyOf(store.as('anna', 'DELETE', '/members/anna'))).toMatchObject({ code: 'last_owner' });
    expect(await bodyOf(store.as('anna', 'POST', '/transfer', { to: 'ben' }))).toMatchObject({
      code: 'last_owner',
    });
    expect(await store.roster()).toEqual({ anna: 'owner', ben: 'owner' });
  });

  it.each([
    ['both owners leave', 'DELETE', ['/members/anna', '/members/ben'], undefined],
    ['both owners step down', 'PATCH', ['/members/anna', '/members/ben'], { role: 'member' }],
  ])(
    'remains when %s at the same time',
    BOTH_DATABASES,
    async (_what, method, [first = '', second = ''], json) => {
      for (let round = 0; round < runs(8); round += 1) {
        const store = await openPublisherStore(bothOwn);
        const answers = [store.as('anna', method, first, json), store.as('ben', method, second, json)];
        expect(await statusesOf(answers)).toEqual([200, 409]);
        expect(Object.values(await store.roster()).filter((role) => role === 'owner')).toHaveLength(1);
        await store.close();
      }
    },
  );

  it.each([
    ['remove each other', 'DELETE', undefined],
    ['demote each other', 'PATCH', { role: 'member' }],
  ])(
    'remains when two owners %s at the same time: the first request succeeds',
    BOTH_DATABASES,
    async (_what, method, json) => {
      for (let round = 0; round < runs(8); round += 1) {
        const store = await openPublisherStore(bothOwn);
        const answers = [
          store.as('anna', method, '/members/ben', json),
          store.as('ben', method, '/members/anna', json),
        ];
        expect(await statusesOf(answers)).toEqual([200, 403]);
        expect(Object.values(await store.roster()).filter((role) => role === 'owner')).toHaveLength(1);
        await store.close();
      }
    },
  );
});

it('has an owner do nothing more once they are demoted, whatever is under way', {
  ...BOTH_DATABASES,
  ...needsExtension('ci'),
}, async () => {
  for (let round = 0; round < runs(2); round += 1) {
    const store = await openPublisherStore(bothOwn);
    const ours = '/api/publishers/acme';
    const workflow = (name: string) => ({
      ...{ issuer: 'https://token.actions.githubusercontent.com', repository: `acme/${name}` },
      ...{ workflow: 'release.yml', repositoryId: '1', ownerId: '2', appId: `com.acme.${name}` },
    });
    const call = (method: string, path: string, json?: unknown) =>
      store.call(method, path, { session: store.sessions.anna, ...(json !== undefined && { json }) });
    const made = await Promise.all([
      jsonOf<{ id: string }>(call('POST', `${ours}/trusted-publishers`, workflow('notes'))),
      jsonOf<{ id: string }>(call('POST', `${ours}/tokens`, { name: 'CI' })),
    ]);
    const [trusted, token] = made.map(({ id }) => id);
    const acts = [
      () => call('DELETE', `${ours}/trusted-publishers/${trusted}`),
      () => call('POST', `${ours}/trusted-publishers`, workflow('tasks')),
      () => call('DELETE', `${ours}/tokens/${token}`),
      () => call('POST', `${ours}/tokens`, { name: 'another' }),
      () => call('POST', `${ours}/invitations`, { role: 'member' }),
      () => call('PATCH', ours, { name: 'Acme and more' }),
    ];
    const demote = () => store.as('ben', 'PATCH', '/members/anna', { role: 'member' });
    const at = (4 * round + 2) % acts.length;
    const order = [...acts.slice(0, at), demote, ...acts.slice(at)];
    const answers = await Promise.all(order.map((act) => act()));
    expect(answers[at]?.status).toBe(200);
    expect(answers.every(({ status }) => [200, 201, 403].includes(status))).toBe(true);
    const { entries } = await jsonOf<{ entries: { action: string; actor: string }[] }>(
      store.admin('GET', '/api/admin/audit'),
    );
    const actors = entries.map(({ actor }) => actor);
    expect(actors.indexOf('person:anna')).toBeGreaterThan(actors.indexOf('person:ben'));
    await store.close();
  }
});

describe('a token that acts for a publisher', () => {
  it('cannot publish as soon as its user is no longer a member', async () => {
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
      madeBy: 'ben',
    });
    const publish = (version: string) => store.publish(token, { publisher: 'acme', version });
    expect((await publish('1.0.0')).status).toBe(201);
    await store.as('anna', 'DELETE', '/members/ben');
    expect(await bodyOf(publish('1.1.0'))).toMatchObject({ httpStatus: 403, code: 'not_a_member' });
  });

  it('cannot edit the publisher, remove members or create invitations', async () => {
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

  it('adds an owner to a publisher without one, and changes roles', async () => {
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

  it('cannot demote the last owner, and gets 404 for an unknown user or publisher', async () => {
    const store = await openPublisherStore();
    expect(await bodyOf(put(store, 'anna', 'member'))).toMatchObject({ code: 'last_owner' });
    expect((await put(store, 'nobody', 'owner')).status).toBe(404);
    const nowhere = store.admin('PUT', '/api/admin/publishers/nobody/members/anna', { role: 'owner' });
    expect((await nowhere).status).toBe(404);
  });
});
