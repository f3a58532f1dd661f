import { LIMITS } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../support/test-store.ts';

const ME = '/api/people/me';

describe('a caller', () => {
  it('needs a session for a route for users; a token is refused', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    expect((await store.call('GET', ME, { session: await store.signedIn('anna') })).status).toBe(200);
    for (const bearer of [token, ADMIN_TOKEN])
      expect(await bodyOf(store.call('GET', ME, { token: bearer }))).toMatchObject({
        httpStatus: 403,
        code: 'forbidden',
      });
  });

  it('is authenticated by the token when there is also a session', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna', { role: 'administrator' });
    const token = await store.publisherToken();
    expect((await store.call('GET', '/api/admin/people', { session })).status).toBe(200);
    expect((await store.call('GET', '/api/admin/people', { session, token })).status).toBe(403);
    expect((await store.call('GET', '/api/admin/people', { session, token: 'x' })).status).toBe(401);
  });

  it('without a session is redirected to the sign-in by a page, and gets 401 as JSON', async () => {
    const store = await openTestStore();
    const page = await store.call('GET', '/account?a=b&c=d');
    const to = new URL(page.headers.get('location') ?? '', 'https://store.test');
    expect([page.status, to.pathname, to.searchParams.get('next')]).toEqual([
      303,
      '/sign-in',
      '/account?a=b&c=d',
    ]);
    expect(await bodyOf(store.call('GET', ME))).toMatchObject({ httpStatus: 401, code: 'unauthorized' });
  });

  it('is logged when an action of administrators is refused', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('mona', { role: 'moderator' });
    await store.call('GET', '/api/admin/people', { session });
    const line = store.lines.find((text) => text.includes('was refused')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ actor: 'person:mona', route: '/api/admin/people' });
    expect(line).not.toContain(session.cookie.split('=')[1]);
  });

  it('of a route with a fresh proof proved it in the last ten minutes, by a clock at most a minute ahead', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const now = store.clock().getTime();
    const { sessions } = store.stores;
    const [own] = await sessions.of('anna', new Date(now).toISOString());
    const answers: number[] = [];
    for (const offset of [0, -LIMITS.people.proofMs, -LIMITS.people.proofMs - 1, 60_000, 60_001]) {
      await sessions.prove('anna', own?.id ?? '', new Date(now + offset).toISOString(), false);
      const made = await store.call('POST', `${ME}/tokens`, { session, json: { name: `after ${offset}` } });
      answers.push(made.status);
    }
    expect(answers).toEqual([201, 201, 403, 201, 403]);
  });
});

describe('a refusal', () => {
  it('names the token of the metrics only at their route', async () => {
    const store = await openTestStore();
    expect(await bodyOf(store.call('GET', '/metrics'))).toMatchObject({
      httpStatus: 401,
      message: expect.stringContaining('SVC_METRICS_TOKEN'),
    });
    const other = await bodyOf(store.call('GET', '/api/admin/people'));
    expect(other).toMatchObject({ httpStatus: 401, message: expect.not.stringContaining('SVC_METRICS') });
  });
});
