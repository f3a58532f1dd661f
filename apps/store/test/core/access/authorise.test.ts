import { LIMITS } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../../support/test-store.ts';

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
    expect([page.status, to.pathname, [...to.searchParams]]).toEqual([
      303,
      '/sign-in',
      [['next', '/account?a=b&c=d']],
    ]);
    expect(await bodyOf(store.call('GET', ME))).toMatchObject({ httpStatus: 401, code: 'unauthorized' });
  });

  it('is logged when an action of moderators or administrators is refused, and only then', async () => {
    const store = await openTestStore();
    const anna = await store.signedIn('anna');
    const mona = await store.signedIn('mona', { role: 'moderator' });
    const refusals = () => store.lines.filter((text) => text.includes('was refused'));
    await store.call('GET', '/api/moderation/queue', { session: anna });
    await store.call('GET', '/api/admin/people', { session: mona });
    await store.call('GET', ME, { token: ADMIN_TOKEN });
    store.stores.sessions.find = () => Promise.reject(new Error('The database is gone.'));
    expect((await store.call('GET', '/api/admin/people', { session: mona })).status).toBe(500);
    expect(refusals().map((line) => JSON.parse(line))).toMatchObject([
      { actor: 'person:anna', route: '/api/moderation/queue' },
      { actor: 'person:mona', route: '/api/admin/people' },
    ]);
    expect(refusals().join()).not.toContain(mona.cookie.split('=')[1]);
  });

  it('changes nothing with a session that ends after the request was admitted', async () => {
    const store = await openTestStore();
    const session = await store.signedIn('anna');
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await store.stores.sessions.endAll('anna');
          controller.enqueue(new TextEncoder().encode('{"name":"Eve"}'));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { 'content-type': 'application/json' };
    expect((await store.call('PATCH', ME, { session, body, headers })).status).toBe(401);
    expect(await store.stores.people.find('anna')).toMatchObject({ name: 'anna' });
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
    // Other routes need none.
    expect((await store.call('PATCH', ME, { session, json: { name: 'Anna' } })).status).toBe(200);
  });
});

it('a route that needs a confirmed address takes one, no other address, and a user without any', async () => {
  const environment = { SVC_SMTP_URL: 'smtp://127.0.0.1:1', SVC_MAIL_FROM: 'store@store.test' };
  const store = await openTestStore({ environment });
  const session = await store.signedIn('anna');
  const add = () => bodyOf(store.call('POST', `${ME}/passkeys/options`, { session }));
  const { db } = store.stores;
  const set = (email: string | null, verified: 0 | 1) =>
    db.updateTable('people').set({ email, email_verified: verified }).where('id', '=', 'anna').execute();
  await set('anna@example.com', 0);
  expect(await add()).toMatchObject({ httpStatus: 403, code: 'email_unverified' });
  await set('anna@example.com', 1);
  expect(await add()).toMatchObject({ httpStatus: 200 });
  await set(null, 0);
  expect(await add()).toMatchObject({ httpStatus: 200 });
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
    const token = await store.publisherToken();
    await store.admin('PATCH', '/api/admin/publishers/example', { suspended: true, reason: 'x' });
    expect(await bodyOf(store.call('GET', '/metrics', { token }))).toMatchObject({
      code: 'publisher_suspended',
      message: 'The publisher example is suspended: this token has no effect.',
    });
  });
});
