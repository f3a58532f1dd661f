import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

describe('/api/people/me', () => {
  it('returns publishers, ways to sign in and sessions, without the session token', async () => {
    const store = await openTestStore();
    await store.publisherToken('acme');
    const session = await store.signedIn('anna', { membership: { acme: 'owner' } });
    const answer = await store.call('GET', '/api/people/me', { session });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const text = await answer.clone().text();
    expect(text).not.toContain(session.cookie.split('=')[1]);
    expect(await bodyOf(answer)).toEqual({
      httpStatus: 200,
      roleNeedsPasskey: false,
      passkeyDueAt: null,
      ...{ id: 'anna', name: 'anna', email: 'anna@example.com', emailVerified: true, role: 'person' },
      createdAt: '2026-03-01T12:00:00.000Z',
      memberships: [{ publisher: 'acme', name: 'The acme', role: 'owner' }],
      csrf: session.csrf,
      ...{ hasPassword: false, passkeys: [], identities: [], providers: [] },
      sessions: [
        {
          ...{ id: expect.any(String), current: true, address: null, agent: 'a test' },
          createdAt: '2026-03-01T12:00:00.000Z',
          lastSeenAt: '2026-03-01T12:00:00.000Z',
        },
      ],
    });
  });

  it('changes the name, and refuses an invalid name or a change of the role', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const change = (json: unknown) => bodyOf(store.call('PATCH', '/api/people/me', { session, json }));
    expect(await change({ name: ' Anna Ash ' })).toMatchObject({ httpStatus: 200, name: 'Anna Ash' });
    for (const json of [
      { name: '' },
      { name: 'x', role: 'administrator' },
      { name: 'a\nb' },
      { name: 'Anna\u202E' },
      { name: '\u200B' },
      {},
    ])
      expect(await change(json)).toMatchObject({ httpStatus: 400 });
    expect(await store.stores.people.find('anna')).toMatchObject({ name: 'Anna Ash', role: 'person' });
  });
});
