import { describe, expect, it } from 'vitest';
import { firstOwnName } from '../../../src/core/people/name-rules.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const IMPERSONATING = [
  'svc',
  'S v c',
  '5vc',
  'ᔕᐯᑕ',
  'Administrator',
  'Adm1nistrator',
  'The Moderator',
  'ACME',
  'Αcme',
];

async function opened() {
  const store = await openTestStore();
  await store.admin('POST', '/api/admin/publishers', { slug: 'acme', name: 'Acme' });
  return store;
}

describe('the name of a user', () => {
  it.each(IMPERSONATING)(
    'must not be %s, which reads as the store, its staff or a publisher',
    async (name) => {
      const store = await opened();
      const session = await store.signedIn('anna');
      const answer = await bodyOf(store.call('PATCH', '/api/people/me', { session, json: { name } }));
      expect(answer).toMatchObject({ httpStatus: 400, code: 'invalid_request', issues: [{ path: '/name' }] });
      expect((await store.stores.people.find('anna'))?.name).toBe('anna');
      const added = { name, email: 'ben@example.com' };
      expect((await store.admin('POST', '/api/admin/people', added)).status).toBe(400);
      expect(await firstOwnName({ reservedNames: [] }, store.stores, [name, ' ', 'Anna'])).toBe('Anna');
    },
  );

  it.each(['Anna', 'Svetlana', 'Marc 5', 'Acmea', 'Ed Minister', 'Admin Hadžić'])(
    'may be %s',
    async (name) => {
      const store = await opened();
      const session = await store.signedIn('anna');
      expect((await store.call('PATCH', '/api/people/me', { session, json: { name } })).status).toBe(200);
    },
  );

  it('may be that of a publisher of which the user is a member', async () => {
    const store = await opened();
    const session = await store.signedIn('anna', { membership: { acme: 'member' } });
    expect((await store.call('PATCH', '/api/people/me', { session, json: { name: 'Acme' } })).status).toBe(
      200,
    );
  });

  it('is Unnamed when a provider has no usable one', async () => {
    const store = await opened();
    expect(await firstOwnName({ reservedNames: ['globex'] }, store.stores, ['Globex', 'Acme'])).toBe(
      'Unnamed',
    );
  });
});
