import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bodyOf, jsonOf, openTestStore } from '../../support/test-store.ts';

const TOKEN = 'scim-0123456789-0123456789-0123456789';
const BASE = '/scim/acme/v2';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

type Resource = { id: string; active?: boolean; members?: { value: string }[] };

/** A store that Acme provisions: its groups decide roles and the publisher example. */
async function opened(rules: object = { allowedDomains: ['example.com'] }) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-scim-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const provider = {
    ...{ id: 'acme', label: 'Acme', issuer: 'https://id.acme.example', clientId: 'svc', clientSecret: 'x' },
    ...{ ...rules, scim: { token: TOKEN } },
    groups: { roles: { reviewers: 'moderator' }, publishers: { team: { slug: 'example', role: 'owner' } } },
  };
  const file = join(folder, 'sign-in.json');
  await writeFile(file, JSON.stringify([provider]));
  const store = await openTestStore({ environment: { SVC_SIGN_IN_FILE: file } });
  await store.admin('POST', '/api/admin/publishers', { slug: 'example', name: 'Example', verified: true });
  const call = (method: string, path: string, json?: object, token = TOKEN) =>
    store.call(method, path, {
      token,
      ...(json && { body: JSON.stringify(json) }),
      headers: { 'content-type': 'application/scim+json' },
    });
  const add = async (name: string, more: object = {}) =>
    jsonOf<Resource>(
      call('POST', `${BASE}/Users`, {
        ...{ schemas: [USER], userName: `${name}@example.com`, displayName: name },
        emails: [{ value: `${name}@example.com`, primary: true }],
        ...more,
      }),
    );
  const patch = (path: string, ...Operations: object[]) =>
    call('PATCH', `${BASE}/${path}`, { schemas: [PATCH], Operations });
  const personOf = (name: string) => store.stores.people.findByEmail(`${name}@example.com`);
  return { store, call, add, patch, personOf };
}

describe('a user that a provider provisions', () => {
  it('gets an account, and loses all access at once when it is deactivated', BOTH_DATABASES, async () => {
    const { store, call, add, patch, personOf } = await opened();
    const session = await store.signedIn('ann', { role: 'moderator', membership: { example: 'owner' } });
    await store.signedIn('root', { role: 'administrator' });
    const made = await bodyOf(
      store.call('POST', '/api/people/me/tokens', { session, json: { name: 'CI', scopes: ['publish:new'] } }),
    );
    const { id } = await add('ann', { externalId: '4711' });
    expect((await store.call('GET', '/api/people/me', { session })).status).toBe(200);
    // As Microsoft Entra ID sends it: operations in upper case, booleans as texts.
    expect((await patch(`Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })).status).toBe(200);
    expect((await store.call('GET', '/api/people/me', { session })).status).toBe(401);
    expect((await store.publish(made.token)).status).toBe(401);
    expect(await personOf('ann')).toMatchObject({ role: 'person', suspended: true });
    expect(await store.stores.mails.to('root@example.com', 9)).toMatchObject([
      { kind: 'role-changed', detail: { personId: 'ann', role: 'person', suspended: true, by: 'acme' } },
    ]);
    const audit = await bodyOf(store.admin('GET', '/api/admin/audit?action=person.change'));
    expect(audit.entries[0]).toMatchObject({
      actor: 'scim:acme',
      detail: { person: 'ann', provider: 'acme', suspended: true, sessionsEnded: 1, tokensRevoked: 1 },
    });
    // As Okta sends it: no path.
    expect(await bodyOf(patch(`Users/${id}`, { op: 'replace', value: { active: true } }))).toMatchObject({
      active: true,
    });
    expect(await personOf('ann')).toMatchObject({ role: 'person', suspended: false });
    expect((await store.call('GET', '/api/people/me', { session })).status).toBe(401);
    expect((await call('DELETE', `${BASE}/Users/${id}`)).status).toBe(204);
    expect((await call('GET', `${BASE}/Users/${id}`)).status).toBe(404);
    expect(await personOf('ann')).toMatchObject({ suspended: true });
    // The same person comes back.
    await add('ann');
    expect(await personOf('ann')).toMatchObject({ id: 'ann', suspended: false });
  });

  it('is created, found, replaced and listed as RFC 7644 says', async () => {
    const { store, call, add, personOf } = await opened();
    const name = { givenName: 'Bea', familyName: 'Example' };
    const answer = await call('POST', `${BASE}/Users`, {
      schemas: [USER],
      userName: 'Bea@Example.com',
      name,
      title: 'Ignored',
    });
    const bea = await jsonOf<Resource & { meta: { location: string } }>(answer);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('location')]).toEqual([
      201,
      'application/scim+json',
      bea.meta.location,
    ]);
    expect(bea).toMatchObject({ userName: 'bea@example.com', displayName: 'Bea Example', active: true });
    expect(await personOf('bea')).toMatchObject({ name: 'Bea Example', emailVerified: true, role: 'person' });
    for (const name of ['cem', 'dan']) await add(name, { externalId: name });
    const found = (filter: string) =>
      bodyOf(call('GET', `${BASE}/Users?filter=${encodeURIComponent(filter)}`));
    for (const filter of [
      'userName eq "BEA@example.com"',
      `id eq "${bea.id}"`,
      'emails.value eq "bea@example.com"',
    ])
      expect(await found(filter)).toMatchObject({ totalResults: 1, Resources: [{ id: bea.id }] });
    expect(await found('externalId eq "cem"')).toMatchObject({ totalResults: 1 });
    expect(await found('userName eq "x"')).toMatchObject({ totalResults: 0, Resources: [] });
    const page = await bodyOf(call('GET', `${BASE}/Users?startIndex=2&count=1`));
    expect(page).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
    expect(await bodyOf(call('GET', `${BASE}/Users?count=0`))).toMatchObject({
      totalResults: 3,
      Resources: [],
    });
    const replaced = { schemas: [USER], userName: 'bea@example.com', displayName: 'Bea', active: false };
    expect(await bodyOf(call('PUT', `${BASE}/Users/${bea.id}`, replaced))).toMatchObject({
      active: false,
      displayName: 'Bea',
    });
    expect(await personOf('bea')).toMatchObject({ suspended: true });
    for (const document of ['ServiceProviderConfig', 'ResourceTypes'])
      expect((await call('GET', `${BASE}/${document}`)).status).toBe(200);
    void store;
  });

  it('is refused in the form of SCIM', async () => {
    const { store, call, add, patch } = await opened();
    const error = 'urn:ietf:params:scim:api:messages:2.0:Error';
    const { id } = await add('ann');
    const ann = { schemas: [USER], userName: 'ann@example.com' };
    await store.stores.people.add({
      ...{ id: 'squatter', name: 'Squatter', email: 'eve@example.com', emailVerified: false },
      ...{ role: 'person', suspended: false, createdAt: store.clock().toISOString() },
    });
    const refusals: [string, Response | Promise<Response>, number][] = [
      ['another token', call('GET', `${BASE}/Users`, undefined, 'x'.repeat(40)), 401],
      ['the token of the operator', store.admin('GET', `${BASE}/Users`), 401],
      ['another provider', call('GET', '/scim/other/v2/Users'), 401],
      ['another kind', call('GET', `${BASE}/Devices`), 404],
      ['an unknown user', call('GET', `${BASE}/Users/none`), 404],
      [
        'an unknown user to change',
        patch('Users/none', { op: 'replace', path: 'active', value: false }),
        404,
      ],
      ['the same name', call('POST', `${BASE}/Users`, ann), 409],
      [
        'an address that its owner did not confirm',
        call('POST', `${BASE}/Users`, { ...ann, userName: 'eve@example.com' }),
        409,
      ],
      ['another domain', call('POST', `${BASE}/Users`, { ...ann, userName: 'ann@other.example' }), 400],
      ['no address', call('POST', `${BASE}/Users`, { ...ann, userName: 'ann' }), 400],
      ['no name', call('POST', `${BASE}/Users`, { schemas: [USER] }), 400],
      ['another filter', call('GET', `${BASE}/Users?filter=userName+co+%22a%22`), 400],
      ['another operation', patch(`Users/${id}`, { op: 'move', path: 'active' }), 400],
      ['no attribute', patch(`Users/${id}`, { op: 'replace', value: 'x' }), 400],
      ['no truth', patch(`Users/${id}`, { op: 'replace', path: 'active', value: 'maybe' }), 400],
    ];
    for (const [what, answer, status] of refusals)
      expect([what, await bodyOf(answer)]).toEqual([
        what,
        expect.objectContaining({
          httpStatus: status,
          schemas: [error],
          status: String(status),
          detail: expect.any(String),
        }),
      ]);
    expect(await bodyOf(call('POST', `${BASE}/Users`, ann))).toMatchObject({ scimType: 'uniqueness' });
    expect(await bodyOf(call('GET', `${BASE}/Users/no-one`))).not.toHaveProperty('scimType');
  });

  it('is not locked out by a mistake at the provider: few per hour, never the last administrator', async () => {
    const { store, add, patch, personOf } = await opened();
    await store.signedIn('root', { role: 'administrator' });
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push((await add(`user${n}`)).id);
    const end = (id: string) => patch(`Users/${id}`, { op: 'replace', path: 'active', value: false });
    const answers: number[] = [];
    for (const id of ids) answers.push((await end(id)).status);
    expect(answers).toEqual([...Array(10).fill(200), 429, 429]);
    expect(await personOf('user11')).toMatchObject({ suspended: false });
    const detail = { provider: 'Acme', limit: 10 };
    expect(await store.stores.mails.to('root@example.com', 9)).toMatchObject([
      { kind: 'deactivations-held', detail },
    ]);
    store.advance(3_600_001);
    expect((await end(ids[11] ?? '')).status).toBe(200);
    const root = await add('root');
    expect((await end(root.id)).status).toBe(403);
    expect(await personOf('root')).toMatchObject({ role: 'administrator', suspended: false });
  });

  it('is no account of others, where the provider has no domains of its own', async () => {
    const { store, add, patch, personOf } = await opened({ ssoOnly: true });
    await store.signedIn('ann', { role: 'moderator' });
    expect(await add('ann')).toMatchObject({ status: '409', scimType: 'uniqueness' });
    const identity = { ...{ id: 'i', issuer: 'https://id.acme.example', subject: '1' }, label: 'ann' };
    await store.stores.identities.add({
      ...identity,
      personId: 'ann',
      createdAt: '2026-03-01T12:00:00.000Z',
    });
    const { id } = await add('ann');
    const created = await add('ben');
    for (const one of [id, created.id])
      await patch(`Users/${one}`, { op: 'replace', path: 'active', value: false });
    for (const name of ['ann', 'ben']) expect(await personOf(name)).toMatchObject({ suspended: true });
  });

  it('stays suspended where an administrator suspended it', async () => {
    const { store, add, patch, personOf } = await opened();
    const { id } = await add('ann');
    const person = await personOf('ann');
    await store.admin('PATCH', `/api/admin/people/${person?.id}`, { suspended: true, reason: 'Spam.' });
    for (const active of [false, true])
      await patch(`Users/${id}`, { op: 'replace', path: 'active', value: active });
    expect(await personOf('ann')).toMatchObject({ suspended: true, suspension: { reason: 'Spam.' } });
  });
});

describe('a group', () => {
  it('gives and takes roles and publishers as its members change', async () => {
    const { store, call, add, patch, personOf } = await opened();
    const [ann, ben] = [await add('ann'), await add('ben')];
    const group = (displayName: string, ...members: Resource[]) =>
      jsonOf<Resource>(
        call('POST', `${BASE}/Groups`, { displayName, members: members.map(({ id }) => ({ value: id })) }),
      );
    const reviewers = await group('reviewers', ann);
    const team = await group('team', ann, ben);
    expect(await personOf('ann')).toMatchObject({ role: 'moderator' });
    const owners = async () => {
      const ids = (await store.stores.members.of('example')).map(({ personId }) => personId);
      return (await store.stores.people.findAll(ids)).map(({ name }) => name).sort();
    };
    expect(await owners()).toEqual(['ann', 'ben']);
    expect(
      await bodyOf(patch(`Groups/${team.id}`, { op: 'remove', path: `members[value eq "${ben.id}"]` })),
    ).toMatchObject({ httpStatus: 200, members: [{ value: ann.id }] });
    expect(await owners()).toEqual(['ann']);
    await patch(
      `Groups/${team.id}`,
      { op: 'add', path: 'members', value: [{ value: ben.id }] },
      { op: 'Remove', path: 'members', value: [{ value: ann.id }] },
    );
    expect(await owners()).toEqual(['ben']);
    await patch(`Groups/${reviewers.id}`, { op: 'replace', value: { displayName: 'readers' } });
    expect(await personOf('ann')).toMatchObject({ role: 'person' });
    const listed = await bodyOf(call('GET', `${BASE}/Groups?filter=displayName+eq+%22team%22`));
    expect(listed.Resources).toMatchObject([{ id: team.id, members: [{ value: ben.id }] }]);
    const short = await bodyOf(call('GET', `${BASE}/Groups?excludedAttributes=members`));
    expect(short.Resources.every((one: Resource) => one.members === undefined)).toBe(true);
    expect(
      (await call('PUT', `${BASE}/Groups/${team.id}`, { displayName: 'team', members: [] })).status,
    ).toBe(200);
    expect(await owners()).toEqual([]);
    await patch(`Groups/${team.id}`, { op: 'add', path: 'members', value: [{ value: ann.id }] });
    expect((await call('DELETE', `${BASE}/Groups/${team.id}`)).status).toBe(204);
    expect(await owners()).toEqual([]);
    expect(
      (await patch(`Groups/${reviewers.id}`, { op: 'add', path: 'members', value: [{ value: 'none' }] }))
        .status,
    ).toBe(400);
  });
});
