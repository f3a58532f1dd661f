import { describe, expect, it } from 'vitest';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf, jsonOf, openTestStore } from '../../support/test-store.ts';

const REQUESTS = '/api/admin/name-requests';

/** A store whose publisher acme an administrator has verified. */
async function verifiedStore() {
  const store = await openPublisherStore();
  await store.admin('PATCH', '/api/admin/publishers/acme', { verified: true });
  const rename = (name: string) => store.as('anna', 'PATCH', '', { name });
  const nameNow = async () => (await store.stores.publishers.find('acme'))?.name;
  const actions = async () => {
    const { entries } = await jsonOf<{ entries: { action: string }[] }>(
      store.admin('GET', '/api/admin/audit'),
    );
    return entries.map(({ action }) => action);
  };
  return { ...store, rename, nameNow, actions };
}

describe('names that look alike', () => {
  it.each(['acme', 'A c m e', 'A.C.M.E', 'Асме', 'Αcme', 'ＡＣＭＥ', '🅰🅲🅼🅴', 'Ácmé', 'Acrne'])(
    'are refused: %j next to Acme',
    async (name) => {
      const store = await openPublisherStore();
      const session = store.sessions.carl;
      const json = { slug: 'other', name };
      expect(await bodyOf(store.call('POST', '/api/publishers', { session, json }))).toMatchObject({
        httpStatus: 409,
        code: 'already_exists',
        issues: [{ path: '/name' }],
      });
      expect(await bodyOf(store.admin('POST', '/api/admin/publishers', json))).toMatchObject({
        code: 'already_exists',
      });
      expect(await store.stores.publishers.find('other')).toBeNull();
    },
  );

  it('are accepted for one of several concurrent requests', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((slug) =>
        store.call('POST', '/api/publishers', { session, json: { slug, name: 'Pinboard' } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it('become available when their publisher is renamed, and the new name is reserved', async () => {
    const store = await openPublisherStore();
    const make = (slug: string, name: string) => store.admin('POST', '/api/admin/publishers', { slug, name });
    expect((await store.as('anna', 'PATCH', '', { name: 'Zebra' })).status).toBe(200);
    expect((await make('second', 'ACME')).status).toBe(201);
    expect((await make('third', 'zebra')).status).toBe(409);
    expect((await store.as('anna', 'PATCH', '', { name: 'Acme' })).status).toBe(409);
    expect((await store.as('anna', 'PATCH', '', { name: 'ZEBRA' })).status).toBe(200);
  });
});

describe('the new name of a verified publisher', () => {
  it('waits for approval by an administrator; the old name stays, and pendingName has the new one', async () => {
    const store = await verifiedStore();
    expect(await bodyOf(store.rename('Acme Labs'))).toMatchObject({
      httpStatus: 200,
      name: 'Acme',
      verified: true,
      pendingName: { name: 'Acme Labs' },
    });
    expect(await bodyOf(store.admin('GET', REQUESTS))).toMatchObject({
      requests: [{ publisher: { slug: 'acme', name: 'Acme' }, name: 'Acme Labs', askedBy: 'anna' }],
      nextCursor: null,
    });
    expect((await store.actions())[0]).toBe('publisher.name-request');
  });

  it('is applied when an administrator approves it, and the old name becomes available', async () => {
    const store = await verifiedStore();
    await store.rename('Acme Labs');
    const answer = store.admin('POST', `${REQUESTS}/acme/approve`, { name: 'Acme Labs' });
    expect(await bodyOf(answer)).toMatchObject({ httpStatus: 200, name: 'Acme Labs', verified: true });
    expect(await bodyOf(store.as('anna', 'GET'))).not.toHaveProperty('pendingName');
    expect((await store.actions())[0]).toBe('publisher.name-approve');
    // The old name is free, and the new one is taken.
    const make = (slug: string, name: string) => store.admin('POST', '/api/admin/publishers', { slug, name });
    expect((await make('one', 'acme labs')).status).toBe(409);
    expect((await make('two', 'Acme')).status).toBe(201);
  });

  it('can be refused by an administrator with a note, and becomes available', async () => {
    const store = await verifiedStore();
    await store.rename('Other Brand');
    const json = { name: 'Other Brand', note: 'It is the name of another.' };
    expect((await store.admin('POST', `${REQUESTS}/acme/refuse`, { name: 'Other Brand' })).status).toBe(400);
    expect(await bodyOf(store.admin('POST', `${REQUESTS}/acme/refuse`, json))).toMatchObject({
      name: 'Acme',
    });
    expect((await store.actions())[0]).toBe('publisher.name-refuse');
    expect(await bodyOf(store.admin('GET', REQUESTS))).toMatchObject({ requests: [] });
    const made = await store.admin('POST', '/api/admin/publishers', { slug: 'other', name: 'Other Brand' });
    expect(made.status).toBe(201);
  });

  it('is approved only if it is still the requested one, and only once', async () => {
    const store = await verifiedStore();
    await store.rename('Acme Labs');
    await store.rename('Our Bank');
    expect(
      await bodyOf(store.admin('POST', `${REQUESTS}/acme/approve`, { name: 'Acme Labs' })),
    ).toMatchObject({
      httpStatus: 409,
      code: 'already_handled',
    });
    expect(await store.nameNow()).toBe('Acme');
    const once = await Promise.all(
      [1, 2, 3].map(() => store.admin('POST', `${REQUESTS}/acme/approve`, { name: 'Our Bank' })),
    );
    expect(once.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('is reserved while it waits, and is refused if another publisher has it', async () => {
    const store = await verifiedStore();
    await store.admin('POST', '/api/admin/publishers', { slug: 'bank', name: 'Our Bank' });
    expect((await store.rename('0ur Вank')).status).toBe(409);
    await store.rename('Acme Labs');
    const made = await store.admin('POST', '/api/admin/publishers', { slug: 'labs', name: 'ACME LABS' });
    expect(made.status).toBe(409);
  });

  it('is cancelled by a request for the old name', async () => {
    const store = await verifiedStore();
    await store.rename('Acme Labs');
    expect(await bodyOf(store.rename('Acme'))).not.toHaveProperty('pendingName');
    expect(await bodyOf(store.admin('GET', REQUESTS))).toMatchObject({ requests: [] });
    const made = await store.admin('POST', '/api/admin/publishers', { slug: 'labs', name: 'Acme Labs' });
    expect(made.status).toBe(201);
  });

  it('does not delay other fields of the same change', async () => {
    const store = await verifiedStore();
    const answer = store.as('anna', 'PATCH', '', { name: 'Acme Labs', website: 'https://acme.example/en' });
    expect(await bodyOf(answer)).toMatchObject({ name: 'Acme', website: 'https://acme.example/en' });
  });

  it('can be decided only by administrators', async () => {
    const store = await verifiedStore();
    await store.rename('Acme Labs');
    const session = await store.signedIn('mod', { role: 'moderator' });
    const path = `${REQUESTS}/acme/approve`;
    expect((await store.call('POST', path, { session, json: { name: 'Acme Labs' } })).status).toBe(403);
    expect(await bodyOf(store.admin('POST', `${REQUESTS}/nobody/approve`, { name: 'X' }))).toMatchObject({
      code: 'already_handled',
    });
  });
});

describe('the host on the badge of a verified publisher', () => {
  it('stays the verified host when the website changes, and is removed with the verification', async () => {
    const store = await verifiedStore();
    expect(await store.stores.publishers.find('acme')).toMatchObject({ verifiedHost: 'acme.example' });
    const moved = await bodyOf(store.as('anna', 'PATCH', '', { website: 'https://bank.example' }));
    expect(moved).toMatchObject({ verified: true, verifiedHost: 'acme.example' });
    const not = await bodyOf(store.admin('PATCH', '/api/admin/publishers/acme', { verified: false }));
    expect(not).not.toHaveProperty('verifiedHost');
  });
});
