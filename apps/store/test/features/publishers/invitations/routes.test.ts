import { describe, expect, it } from 'vitest';
import { openPublisherStore } from '../../../support/people.ts';
import { BASE_URL, jsonOf } from '../../../support/test-store.ts';

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
