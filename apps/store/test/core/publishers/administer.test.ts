import { describe, expect, it } from 'vitest';
import { has } from '../../support/extensions.ts';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

describe('publishers', () => {
  it('are created, verified and suspended', async () => {
    const store = await openTestStore();
    const made = await bodyOf(
      store.admin('POST', '/api/admin/publishers', {
        slug: 'acme',
        name: 'Acme',
        website: 'https://acme.example',
      }),
    );
    expect(made).toEqual({
      httpStatus: 201,
      slug: 'acme',
      name: 'Acme',
      website: 'https://acme.example',
      verified: false,
      suspended: false,
      createdAt: '2026-03-01T12:00:00.000Z',
    });
    const changed = await bodyOf(store.admin('PATCH', '/api/admin/publishers/acme', { verified: true }));
    expect(changed).toMatchObject({ httpStatus: 200, verified: true, suspended: false });
    expect(
      await bodyOf(store.admin('PATCH', '/api/admin/publishers/acme', { suspended: true })),
    ).toMatchObject({ verified: true, suspended: true });
  });

  it('that are verified, or no longer, are events for webhooks and mirrors, by a website or an administrator', async () => {
    const store = await openTestStore();
    await store.admin('POST', '/api/admin/publishers', { slug: 'acme', name: 'Acme' });
    for (const verified of [true, false])
      await store.admin('PATCH', '/api/admin/publishers/acme', { verified, storageMiB: 5 });
    if (has('webhooks')) {
      const { events } = await bodyOf(store.call('GET', '/api/events?after=0'));
      expect(events).toMatchObject([
        { type: 'publisher.verified', data: { publisher: 'acme' } },
        { type: 'publisher.unverified', data: { publisher: 'acme' } },
      ]);
    }
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?publisher=acme'));
    expect(entries.map(({ action, detail }: { action: string; detail: object }) => [action, detail])).toEqual(
      expect.arrayContaining([
        ['publisher.verify', { by: 'administrator' }],
        ['publisher.unverify', { by: 'administrator' }],
        ['publisher.change', { storageMiB: 5 }],
      ]),
    );
  });

  it('belong to the owner who is named, or to the administrator who creates them', async () => {
    const store = await openPublisherStore();
    const root = await store.signedIn('root', { role: 'administrator' });
    const make = (slug: string, owner: string) =>
      bodyOf(
        store.call('POST', '/api/admin/publishers', { session: root, json: { slug, name: slug, owner } }),
      );
    const ownersOf = async (slug: string) =>
      (await store.stores.members.of(slug)).map(({ personId, role }) => `${personId} ${role}`);
    expect(await make('mine', 'me')).toMatchObject({ httpStatus: 201 });
    expect(await ownersOf('mine')).toEqual(['root owner']);
    const { email } = await store.stores.people.find('carl').then((carl) => carl ?? { email: '' });
    expect(await make('his', email ?? '')).toMatchObject({ httpStatus: 201 });
    expect(await ownersOf('his')).toEqual(['carl owner']);
    expect(await make('lost', 'stranger@example.com')).toMatchObject({ code: 'not_found' });
    const automated = store.admin('POST', '/api/admin/publishers', { slug: 'b', name: 'B', owner: 'me' });
    expect(await bodyOf(automated)).toMatchObject({ code: 'invalid_request', issues: [{ path: '/owner' }] });
    expect(await store.stores.publishers.find('lost')).toBeNull();
  });

  it('are given only to confirmed addresses where the store sends mail', async () => {
    const store = await openTestStore({
      environment: { SVC_SMTP_URL: 'smtp://127.0.0.1:9', SVC_MAIL_FROM: 'store@example.com' },
    });
    const person = { name: 'Ben', email: 'ben@example.com' };
    expect((await store.admin('POST', '/api/admin/people', person)).status).toBe(201);
    const made = { slug: 'bens', name: 'Bens', owner: person.email };
    expect(await bodyOf(store.admin('POST', '/api/admin/publishers', made))).toMatchObject({
      code: 'email_unverified',
    });
  });

  it('have unique slugs, also with concurrent requests', async () => {
    const store = await openTestStore();
    const make = () => store.admin('POST', '/api/admin/publishers', { slug: 'acme', name: 'Acme' });
    const answers = await Promise.all([make(), make(), make()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it.each([
    [{ name: 'Acme' }, '/slug'],
    [{ slug: 'Acme', name: 'Acme' }, '/slug'],
    [{ slug: 'acme', name: '' }, '/name'],
    [{ slug: 'acme', name: 'Acme', website: 'javascript:alert(1)' }, '/website'],
    [{ slug: 'acme', name: 'Acme', verified: 'yes' }, '/verified'],
    [{ slug: 'acme', name: 'Acme', role: 'admin' }, ''],
    [[], ''],
    [null, ''],
  ])('are not created from %j', async (json, path) => {
    const store = await openTestStore();
    expect(await bodyOf(store.admin('POST', '/api/admin/publishers', json))).toMatchObject({
      httpStatus: 400,
      code: 'invalid_request',
      issues: [{ path }],
    });
  });

  it('are as a tool says that sends it again and again, and change only by what differs', async () => {
    const store = await openTestStore();
    const put = (json: object) => bodyOf(store.admin('PUT', '/api/admin/publishers/tools', json));
    const entries = async () =>
      (await bodyOf(store.admin('GET', '/api/admin/audit?publisher=tools'))).entries.length;
    const state = { name: 'Internal tools', verified: true };
    const first = await put(state);
    expect(first).toMatchObject({ slug: 'tools', ...state, suspended: false });
    const written = await entries();
    expect(await put(state)).toEqual(first);
    // Its owners may have another name by now.
    expect(await put({ ...state, name: 'Other' })).toEqual(first);
    expect(await entries()).toBe(written);
    const stopped = { ...state, suspended: true, reason: 'It moves.' };
    expect(await put(stopped)).toMatchObject({ suspended: true });
    expect(await put(stopped)).toMatchObject({ suspended: true });
    expect(await entries()).toBe(written + 1);
  });

  it('answer 404 to a change of an unknown publisher, and 400 to an empty change', async () => {
    const store = await openTestStore();
    expect((await store.admin('PATCH', '/api/admin/publishers/nobody', { verified: true })).status).toBe(404);
    expect((await store.admin('PATCH', '/api/admin/publishers/nobody', {})).status).toBe(400);
  });
});

describe('a suspended publisher', () => {
  const opened = async () => {
    const store = await openPublisherStore();
    await store.admin('PATCH', '/api/admin/publishers/acme', { verified: true });
    const session = store.sessions.anna;
    const token = await tokenFor(store);
    await store.publish(token, { publisher: 'acme' });
    await store.decide('approve', '1.0.0', {});
    const listed = async () =>
      (await bodyOf(store.call('GET', '/api/apps/catalog'))).apps.map(
        ({ appId }: { appId: string }) => appId,
      );
    return { store, session, token, listed };
  };

  it('has no listed apps and cannot publish; its apps are listed again after the suspension', async () => {
    const { store, token, listed } = await opened();
    expect(await listed()).toEqual(['com.example.notes']);
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: true });
    expect(await listed()).toEqual([]);
    expect(await bodyOf(store.publish(token, { publisher: 'acme', version: '1.1.0' }))).toMatchObject({
      httpStatus: 403,
      code: 'publisher_suspended',
    });
    expect(await bodyOf(store.call('GET', '/api/apps/com.example.notes'))).toMatchObject({
      httpStatus: 410,
      code: 'stopped',
      tombstone: { rule: { id: 'other' } },
    });
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: false });
    expect(await listed()).toEqual(['com.example.notes']);
  });

  it('is notified once: each member gets one mail', async () => {
    const { store } = await opened();
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: true });
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: true });
    await store.sendDueMails();
    const told = store.lines.filter((line) => line.includes('The publisher acme was suspended'));
    expect(told.map((line) => JSON.parse(line).to).sort()).toEqual(['anna@example.com', 'ben@example.com']);
  });
});

/** A token of the publisher acme. */
async function tokenFor(store: Awaited<ReturnType<typeof openPublisherStore>>): Promise<string> {
  const made = await bodyOf(store.admin('POST', '/api/admin/tokens', { publisher: 'acme' }));
  return made.token;
}

describe('the list of publishers', () => {
  it('is sorted by slug, has pages, and is filtered by text, verification and suspension', async () => {
    const store = await openTestStore();
    for (const slug of ['alpha', 'beta', 'gamma']) {
      await store.admin('POST', '/api/admin/publishers', {
        slug,
        name: `The ${slug}`,
        verified: slug === 'beta',
      });
    }
    await store.admin('PATCH', '/api/admin/publishers/gamma', { suspended: true });
    const list = async (query: string) => {
      const { publishers, nextCursor } = await bodyOf(store.admin('GET', `/api/admin/publishers?${query}`));
      return { slugs: publishers.map(({ slug }: { slug: string }) => slug), nextCursor };
    };
    const first = await list('limit=2');
    expect(first.slugs).toEqual(['alpha', 'beta']);
    expect(await list(`limit=2&cursor=${first.nextCursor}`)).toEqual({ slugs: ['gamma'], nextCursor: null });
    expect((await list('q=THE%20b')).slugs).toEqual(['beta']);
    expect((await list('q=AMM')).slugs).toEqual(['gamma']);
    expect((await list('slug=beta')).slugs).toEqual(['beta']);
    expect((await list('q=%25')).slugs).toEqual([]);
    expect((await list('verified=true')).slugs).toEqual(['beta']);
    expect((await list('suspended=true')).slugs).toEqual(['gamma']);
    expect((await store.admin('GET', '/api/admin/publishers?cursor=no')).status).toBe(400);
  });

  it.each([
    ['', ['a', 'b', 'c', 'd']],
    ['sort=slug&direction=desc', ['d', 'c', 'b', 'a']],
    ['sort=name', ['d', 'b', 'a', 'c']],
    ['sort=name&direction=desc', ['c', 'a', 'b', 'd']],
    ['sort=created', ['c', 'd', 'a', 'b']],
    ['sort=created&direction=desc', ['b', 'a', 'd', 'c']],
  ])('is sorted by %s over all pages, then by slug', async (query, slugs) => {
    const store = await openTestStore();
    const make = (slug: string, name: string) => store.admin('POST', '/api/admin/publishers', { slug, name });
    await make('d', 'able');
    await make('c', 'Zebra');
    store.advance(1_000);
    await make('b', 'BAKER');
    await make('a', 'charlie');
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await bodyOf(store.admin('GET', `/api/admin/publishers?limit=1&${query}${cursor}`));
      seen.push(...page.publishers.map(({ slug }: { slug: string }) => slug));
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(slugs);
  });

  it('refuses an unknown sort order, and the cursor of another sort order', async () => {
    const store = await openTestStore();
    for (const slug of ['a', 'b'])
      await store.admin('POST', '/api/admin/publishers', { slug, name: `The ${slug}` });
    const { nextCursor } = await bodyOf(store.admin('GET', '/api/admin/publishers?limit=1'));
    for (const query of ['sort=website', 'direction=up', `limit=1&sort=name&cursor=${nextCursor}`])
      expect((await store.admin('GET', `/api/admin/publishers?${query}`)).status).toBe(400);
  });
});
