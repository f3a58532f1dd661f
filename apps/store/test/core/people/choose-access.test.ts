import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const put = (store: TestStore, json: object) => bodyOf(store.admin('PUT', '/api/admin/access', json));

const written = async (store: TestStore) =>
  (await bodyOf(store.admin('GET', '/api/admin/audit?action=access.change'))).entries.map(
    ({ detail }: { detail: object }) => detail,
  );

describe('the access rules that a tool sends again and again', () => {
  it('change once, at once, and by what differs', async () => {
    const store = await openTestStore();
    const before = (await put(store, {})).roles;
    const rules = { signUp: 'closed', publishers: 'approved', read: 'members' };
    for (let n = 0; n < 3; n += 1)
      expect(await put(store, rules)).toEqual({ httpStatus: 200, ...rules, roles: before });
    expect((await store.call('GET', '/api/apps/catalog')).status).toBe(401);
    expect(await put(store, { read: 'public' })).toMatchObject({ signUp: 'closed', read: 'public' });
    expect((await store.call('GET', '/api/apps/catalog')).status).toBe(200);
    expect(await written(store)).toEqual([{ read: 'public' }, rules]);
  });

  it('are refused where a setting says otherwise, and accepted where it says the same', async () => {
    const store = await openTestStore({ environment: { SVC_READ: 'members' } });
    expect(await put(store, { signUp: 'closed', read: 'public' })).toMatchObject({
      code: 'invalid_request',
      issues: [{ path: '/read', message: 'is members by a setting of the store: change it there' }],
    });
    expect(await written(store)).toEqual([]);
    expect(await put(store, { signUp: 'closed', read: 'members' })).toMatchObject({ signUp: 'closed' });
    for (const wrong of [{ read: 'guests' }, { rea: 'public' }, []])
      expect(await put(store, wrong)).toMatchObject({ code: 'invalid_request' });
  });

  it('give moderators their days to add a passkey once, and do not lock out who sends them', async () => {
    const store = await openTestStore();
    const ada = await store.signedIn('ada', { role: 'administrator' });
    await put(store, { roles: 'any' });
    const send = (json: object) => bodyOf(store.call('PUT', '/api/admin/access', { session: ada, json }));
    expect(await send({ roles: 'grace', read: 'members', signUp: 'closed' })).toMatchObject({
      roles: 'grace',
    });
    expect(await send({ roles: 'grace' })).toMatchObject({ httpStatus: 200 });
    expect((await store.call('GET', '/api/admin/publishers', { session: ada })).status).toBe(200);
  });
});
