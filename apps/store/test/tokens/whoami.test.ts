import { describe, expect, it } from 'vitest';
import { deviceToken } from '../support/device.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../support/test-store.ts';

const whoAmI = '/api/developer/whoami';

describe('who I am', () => {
  it('is told to a person, with their roles', async () => {
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

  it('is told to automation', async () => {
    const store = await openTestStore();
    expect(await bodyOf(store.call('GET', whoAmI, { token: ADMIN_TOKEN }))).toEqual({
      httpStatus: 200,
      kind: 'automation',
      publishers: [],
    });
  });

  it('is refused to other callers', async () => {
    const store = await openTestStore();
    expect((await store.call('GET', whoAmI)).status).toBe(401);
  });
});

describe('the token that is sent along', () => {
  it('is revoked by itself, whether of a device or of a publisher, and no other is', async () => {
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

  it('is none of a person or of automation', async () => {
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
