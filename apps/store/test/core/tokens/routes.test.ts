import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf, jsonOf } from '../../support/test-store.ts';

type Made = { id: string; token: string };

describe('the access of a publisher, for administrators', () => {
  it('lists members and every token that may act for it, and ends each', BOTH_DATABASES, async () => {
    const store = await openPublisherStore();
    const mine = (name: 'anna' | 'ben' | 'carl', json: object) =>
      jsonOf<Made>(store.call('POST', '/api/people/me/tokens', { session: store.sessions[name], json }));
    const open = await mine('anna', { name: 'laptop' });
    const bound = await mine('ben', { name: 'bound', publisher: 'acme' });
    await mine('carl', { name: 'stranger' });
    const ci = await jsonOf<Made>(store.as('anna', 'POST', '/tokens', { name: 'builds' }));

    const access = await bodyOf(store.admin('GET', '/api/admin/publishers/acme/access'));
    expect(access.members).toMatchObject([
      { personId: 'anna', role: 'owner', email: 'anna@example.com' },
      { personId: 'ben', role: 'member' },
    ]);
    const shown = access.tokens.map(({ id, ownedBy, madeBy }: Record<string, string>) => [
      id,
      ownedBy,
      madeBy,
    ]);
    expect(shown).toHaveLength(3);
    expect(shown).toEqual(
      expect.arrayContaining([
        [open.id, 'anna', 'anna'],
        [bound.id, 'ben', 'ben'],
        [ci.id, null, 'anna'],
      ]),
    );
    expect(JSON.stringify(access)).not.toContain(ci.token);

    const own = await bodyOf(store.admin('GET', '/api/admin/people/anna/tokens'));
    expect(own.tokens.map(({ id }: Made) => id).sort()).toEqual([open.id, ci.id].sort());

    for (const { id, token } of [open, bound, ci]) {
      expect((await store.call('GET', '/api/developer/whoami', { token })).status).toBe(200);
      expect((await store.admin('DELETE', `/api/admin/tokens/${id}`)).status).toBe(200);
      expect((await store.call('GET', '/api/developer/whoami', { token })).status).toBe(401);
      expect((await store.admin('DELETE', `/api/admin/tokens/${id}`)).status).toBe(404);
    }
    expect((await bodyOf(store.admin('GET', '/api/admin/publishers/acme/access'))).tokens).toEqual([]);
    const log = await bodyOf(store.admin('GET', '/api/admin/audit?action=token.revoke'));
    expect(log.entries).toHaveLength(3);
    expect(log.entries[0]).toMatchObject({ actor: 'automation' });
  });

  it('removes a member, but not the last owner', async () => {
    const store = await openPublisherStore();
    const remove = (id: string) => bodyOf(store.admin('DELETE', `/api/admin/publishers/acme/members/${id}`));
    expect(await remove('ben')).toMatchObject({ httpStatus: 200, personId: 'ben' });
    expect(await remove('anna')).toMatchObject({ code: 'last_owner' });
    expect(await store.roster()).toEqual({ anna: 'owner' });
  });

  it.each(['/api/admin/publishers/nobody/access', '/api/admin/people/nobody/tokens'])(
    'is not found at %s',
    async (path) => {
      const store = await openPublisherStore();
      expect(await bodyOf(store.admin('GET', path))).toMatchObject({ code: 'not_found' });
    },
  );
});
