import { describe, expect, it } from 'vitest';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf, jsonOf } from '../../support/test-store.ts';

describe('a publisher', () => {
  it('is visible to its members; links of invitations and addresses of members only to owners', async () => {
    const store = await openPublisherStore();
    await store.as('anna', 'POST', '/invitations', { email: 'dora@example.com', role: 'owner' });
    const owner = await bodyOf(store.as('anna', 'GET'));
    expect(owner).toMatchObject({
      role: 'owner',
      members: [{ personId: 'anna', email: 'anna@example.com' }, { personId: 'ben' }],
      invitations: [
        { role: 'owner', invitedBy: 'anna', url: expect.stringContaining('https://store.test/invitations/') },
      ],
    });
    const member = await bodyOf(store.as('ben', 'GET'));
    expect(member).toMatchObject({
      role: 'member',
      members: [
        { personId: 'anna', email: null },
        { personId: 'ben', email: null },
      ],
      invitations: [{ role: 'owner', email: 'dora@example.com' }],
    });
    expect(JSON.stringify(member)).not.toContain('/invitations/');
  });

  it('answers 404 to non-members and administrators, as if it did not exist', async () => {
    const store = await openPublisherStore();
    const boss = await store.signedIn('boss', { role: 'administrator' });
    const ofNobody = await bodyOf(store.call('GET', '/api/publishers/nobody', { session: boss }));
    for (const session of [boss, store.sessions.carl]) {
      const answer = await bodyOf(store.call('GET', '/api/publishers/acme', { session }));
      expect(answer).toMatchObject({ httpStatus: 404, code: ofNobody.code });
      expect(answer.message).toBe(ofNobody.message.replace('nobody', 'acme'));
    }
  });

  it('can still be read by its members when it is suspended', async () => {
    const store = await openPublisherStore();
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: true });
    for (const name of ['anna', 'ben'] as const) {
      expect(await bodyOf(store.as(name, 'GET'))).toMatchObject({ httpStatus: 200, suspended: true });
    }
  });

  it('is listed only for its members', async () => {
    const store = await openPublisherStore();
    await store.admin('POST', '/api/admin/publishers', { slug: 'other', name: 'Other' });
    const listOf = (session = store.sessions.anna) =>
      jsonOf<{ publishers: object[] }>(store.call('GET', '/api/publishers', { session }));
    expect((await listOf()).publishers).toMatchObject([{ slug: 'acme', role: 'owner', verified: false }]);
    expect((await listOf(store.sessions.ben)).publishers).toMatchObject([{ slug: 'acme', role: 'member' }]);
    expect((await listOf(store.sessions.carl)).publishers).toEqual([]);
  });
});
