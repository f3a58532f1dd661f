import { describe, expect, it } from 'vitest';
import { deviceToken } from '../../support/device.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../../support/test-store.ts';

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
