import { describe, expect, it } from 'vitest';
import { contentsOf } from '../../../support/database.ts';
import { openPublisherStore } from '../../../support/people.ts';
import { BASE_URL, bodyOf, jsonOf } from '../../../support/test-store.ts';

const DAY_MS = 24 * 3_600_000;

type Made = { id: string; url: string };

describe('an invitation', () => {
  it('has a link, a role, and an expiry', async () => {
    const store = await openPublisherStore();
    const answer = await store.as('anna', 'POST', '/invitations', {
      email: 'Dora@Example.com',
      role: 'member',
    });
    expect(answer.headers.get('ratelimit-policy')).toBe('"invitations";q=20;w=3600');
    const made = await bodyOf(answer);
    expect(made).toEqual({
      httpStatus: 201,
      id: expect.any(String),
      url: expect.stringMatching(/^https:\/\/store\.test\/invitations\/[0-9a-f-]{36}\.[\w-]{43}$/),
      role: 'member',
      email: 'dora@example.com',
      invitedBy: 'anna',
      createdAt: '2026-03-01T12:00:00.000Z',
      expiresAt: '2026-03-08T12:00:00.000Z',
    });
    const { invitations } = await bodyOf(store.as('anna', 'GET'));
    expect(invitations[0].url).toBe(made.url);
  });

  it('has no key of its link in the database or the log', async () => {
    const store = await openPublisherStore();
    const { id, url } = await jsonOf<Made>(store.as('anna', 'POST', '/invitations', { role: 'owner' }));
    const contents = await contentsOf(store.folder);
    expect(contents).toContain(id);
    expect(contents).not.toContain(url.slice(-43));
    expect(store.lines.join('\n')).not.toContain(url.slice(-43));
  });

  it.each([
    [{}, '/role'],
    [{ role: 'administrator' }, '/role'],
    [{ role: 'member', email: 'no address' }, '/email'],
    [{ role: 'member', email: 'a@b.example\r\nBcc: c@d.example' }, '/email'],
    [{ role: 'member', email: 'a@b.example, c@d.example' }, '/email'],
    [{ role: 'member', email: `${'a'.repeat(250)}@b.example` }, '/email'],
    [{ role: 'member', publisher: 'other' }, ''],
  ])('is not created from %j', async (json, path) => {
    const store = await openPublisherStore();
    expect(await bodyOf(store.as('anna', 'POST', '/invitations', json))).toMatchObject({
      httpStatus: 400,
      issues: [{ path }],
    });
  });

  it('can be created and revoked only by owners', async () => {
    const store = await openPublisherStore();
    const { id } = await jsonOf<Made>(store.as('anna', 'POST', '/invitations', { role: 'member' }));
    for (const [name, code] of [
      ['ben', 'forbidden'],
      ['carl', 'not_a_member'],
    ] as const) {
      expect(await bodyOf(store.as(name, 'POST', '/invitations', { role: 'owner' }))).toMatchObject({ code });
      expect(await bodyOf(store.as(name, 'DELETE', `/invitations/${id}`))).toMatchObject({ code });
    }
    expect(await bodyOf(store.as('anna', 'DELETE', `/invitations/${id}`))).toMatchObject({
      httpStatus: 200,
      id,
    });
    expect((await store.as('anna', 'DELETE', `/invitations/${id}`)).status).toBe(404);
    expect((await bodyOf(store.as('anna', 'GET'))).invitations).toEqual([]);
  });

  it('cannot be revoked by the owner of another publisher', async () => {
    const store = await openPublisherStore();
    const { id } = await jsonOf<Made>(store.as('anna', 'POST', '/invitations', { role: 'member' }));
    const json = { slug: 'other', name: 'Other' };
    await store.call('POST', '/api/publishers', { session: store.sessions.carl, json });
    const path = `/api/publishers/other/invitations/${id}`;
    expect((await store.call('DELETE', path, { session: store.sessions.carl })).status).toBe(404);
    expect((await bodyOf(store.as('anna', 'GET'))).invitations).toHaveLength(1);
  });

  it('is limited to 20 per hour and 50 open ones per publisher, also with concurrent requests', async () => {
    const store = await openPublisherStore();
    const make = () => store.as('anna', 'POST', '/invitations', { role: 'member' });
    const many = async (n: number) => {
      const answers = await Promise.all(Array.from({ length: n }, make));
      return answers.filter(({ status }) => status === 201).length;
    };
    expect(await many(25)).toBe(20);
    store.advance(3_600_001);
    await store.prove(store.sessions.anna);
    expect(await many(25)).toBe(20);
    store.advance(3_600_001);
    await store.prove(store.sessions.anna);
    expect(await many(15)).toBe(10);
    const refused = await make();
    expect(refused.headers.get('retry-after')).toBe('597600');
    expect(await bodyOf(refused)).toMatchObject({ httpStatus: 429, code: 'rate_limited' });
    store.advance(7 * DAY_MS);
    await store.prove(store.sessions.anna);
    expect((await bodyOf(store.as('anna', 'GET'))).invitations).toEqual([]);
    expect((await make()).status).toBe(201);
  });

  it('is not created for a suspended publisher', async () => {
    const store = await openPublisherStore();
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: true });
    expect(await bodyOf(store.as('anna', 'POST', '/invitations', { role: 'member' }))).toMatchObject({
      code: 'publisher_suspended',
    });
  });
});

const pathOf = async (store: Awaited<ReturnType<typeof openPublisherStore>>, role = 'member') => {
  const { url } = await jsonOf<{ url: string }>(store.as('anna', 'POST', '/invitations', { role }));
  return url.slice(BASE_URL.length);
};

describe('the page of an invitation', () => {
  it('shows the inviter, the publisher and the role, and cannot be framed', async () => {
    const store = await openPublisherStore();
    const answer = await store.call('GET', await pathOf(store, 'owner'), { session: store.sessions.carl });
    const page = await answer.text();
    for (const said of [
      'Join Acme?',
      '<code>acme</code>',
      'anna@example.com',
      'an owner',
      'not verified',
      '2026-03-08',
    ]) {
      expect(page).toContain(said);
    }
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(answer.headers.get('cache-control')).toBe('no-store');
    // The address is a secret. Forms get their origin from the meta element, and never the path.
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page).toContain('<meta name="referrer" content="strict-origin">');
  });

  it('changes nothing when it is opened', async () => {
    const store = await openPublisherStore();
    const path = await pathOf(store);
    await store.call('GET', path, { session: store.sessions.carl });
    expect(await store.roster()).not.toHaveProperty('carl');
    expect((await store.call('GET', path, { session: store.sessions.carl })).status).toBe(200);
  });

  it('redirects a signed-out user to sign in and back', async () => {
    const store = await openPublisherStore();
    const path = await pathOf(store);
    const answer = await store.call('GET', path);
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`/sign-in?${new URLSearchParams({ next: path })}`);
    expect((await store.call('POST', path)).status).toBe(401);
  });

  it('escapes names', async () => {
    const store = await openPublisherStore();
    await store.as('anna', 'PATCH', '', { name: '<img src=x onerror=alert(1)>"' });
    await store.stores.people.change('anna', { name: '</p><script>alert(1)</script>' });
    const page = await (
      await store.call('GET', await pathOf(store), { session: store.sessions.carl })
    ).text();
    expect(page).not.toContain('<img src=x');
    expect(page).not.toContain('<script');
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  it('is refused to tokens', async () => {
    const store = await openPublisherStore();
    const token = await store.publisherToken();
    expect((await store.call('GET', await pathOf(store), { token })).status).toBe(403);
  });
});
