import { needs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { jobMover } from '../../../src/core/domain/versions/changes.ts';
import { onPostgres } from '../../support/database.ts';
import { openModeratedStore } from '../../support/moderated-store.ts';
import { ADMIN_TOKEN, bodyOf, jsonOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const HOUR_MS = 3_600_000;

const healthOf = (store: TestStore) => bodyOf(store.admin('GET', '/api/admin/health'));

describe('the health report', () => {
  it('has probes, review queue, versions, mails, revocations and jobs', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    const health = await healthOf(store);
    expect(health).toMatchObject({
      httpStatus: 200,
      at: store.clock().toISOString(),
      probes: [
        { name: 'database', ok: true },
        { name: 'upload folder', ok: true },
        { name: 'bundle storage', ok: true },
      ],
      queue: {
        ...{ waiting: 1, overdue: 0, unassigned: 1, changesRequested: 0, locked: 0 },
        oldestAt: store.clock().toISOString(),
      },
      versions: { submitted: 0, checking: 0, approved: 0, oldestAt: null, abandoned: 0 },
      mails: { waiting: 0, tried: 0, oldestAt: null, carried: false },
      revocations: { entries: 0, signedAt: store.clock().toISOString(), stale: false },
    });
    expect(health.jobs.map(({ name }: { name: string }) => name)).toContain('Sweeping');
  });

  it('counts overdue reviews', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    store.advance(3 * 24 * HOUR_MS);
    // At exactly its due time a review is not overdue.
    expect((await healthOf(store)).queue).toMatchObject({ waiting: 1, overdue: 0 });
    store.advance(1);
    expect((await healthOf(store)).queue).toMatchObject({ waiting: 1, overdue: 1 });
  });

  it(
    'marks a stale revocation list',
    // There a new connection renews the list, whatever the time.
    needs(!onPostgres(), 'needs SQLite'),
    async () => {
      const store = await openTestStore();
      store.advance(3 * 24 * HOUR_MS);
      expect((await healthOf(store)).revocations).toMatchObject({ stale: true });
    },
  );

  it('counts locked and unassigned reviews, and those with requested changes', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    for (const id of ['com.example.a', 'com.example.b', 'com.example.c']) await store.publish(token, { id });
    const session = await store.signedIn('anna', { role: 'moderator' });
    const at = (id: string) => `/api/moderation/apps/com.example.${id}/versions/1.0.0`;
    await store.call('POST', `${at('a')}/lock`, { session });
    await store.call('PUT', `${at('b')}/assignment`, { session, json: { to: 'person:anna' } });
    const json = { text: 'Why?', requestChanges: true };
    await store.call('POST', `${at('c')}/messages`, { session, json });
    const counts = { waiting: 3, unassigned: 2, changesRequested: 1 };
    expect((await healthOf(store)).queue).toMatchObject({ ...counts, locked: 1 });
    store.advance(HOUR_MS);
    expect((await healthOf(store)).queue).toMatchObject({ ...counts, locked: 0 });
  });

  it('counts versions that are stuck in a transitional status', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    const ref = { appId: 'com.example.notes', version: '1.0.0' };
    const at = store.clock().toISOString();
    await store.stores.versions.move(ref, { from: 'in_review', to: 'approved' }, {}, jobMover('checker', at));
    expect((await healthOf(store)).versions).toEqual({
      submitted: 0,
      checking: 0,
      approved: 1,
      oldestAt: at,
      abandoned: 1,
    });
  });

  it('counts waiting mails and those with failed tries, without their recipients', async () => {
    const store = await openTestStore();
    const createdAt = store.clock().toISOString();
    const mail = {
      kind: 'confirm-email',
      detail: { personId: 'anna' },
      recipient: 'anna@example.com',
    } as const;
    await store.stores.mails.add({
      ...mail,
      id: '1',
      createdAt,
      nextTryAt: '2027-01-01T00:00:00.000Z',
      tries: 2,
    });
    await store.stores.mails.add({
      ...mail,
      id: '2',
      createdAt,
      nextTryAt: '2027-01-01T00:00:00.000Z',
      tries: 0,
    });
    const health = await bodyOf(store.admin('GET', '/api/admin/health'));
    expect(health.mails).toEqual({ waiting: 2, tried: 1, oldestAt: createdAt, carried: false });
    expect(JSON.stringify(health)).not.toContain('anna');
  });
});

describe('the health endpoints', () => {
  it('answer 200 and are not cached', async () => {
    const store = await openTestStore();
    for (const path of ['/healthz', '/readyz']) {
      const response = await store.call('GET', path);
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(await jsonOf(response)).toEqual({ status: 'ok' });
    }
  });

  it('answer 503 at /readyz if the database is closed, and still 200 at /healthz', async () => {
    const store = await openTestStore();
    await store.close();
    const response = await store.call('GET', '/readyz');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    const { message } = await jsonOf<{ message: string }>(response);
    expect(message).toBe('The store cannot reach its database.');
    expect((await store.call('GET', '/healthz')).status).toBe(200);
  });

  it('answer 503 at /readyz while the process stops, and still 200 at /healthz', async () => {
    const store = await openTestStore();
    store.readiness.end();
    const response = await store.call('GET', '/readyz');
    expect(response.status).toBe(503);
    expect((await jsonOf<{ message: string }>(response)).message).toBe(
      'This process of the store is stopping: try another one.',
    );
    expect((await store.call('GET', '/healthz')).status).toBe(200);
  });
});

describe('the metrics', () => {
  it('count requests by route, without their parameters, and require a token', async () => {
    const store = await openTestStore();
    await store.call('GET', '/api/apps/catalog?q=secret-words');
    await store.call('GET', '/api/apps/secret-app');
    const response = await store.call('GET', '/metrics', { token: ADMIN_TOKEN });
    const text = await response.text();
    expect(text).toContain('svc_http_requests_total{method="GET",route="/api/apps/:appId",status="404"} 1');
    expect(text).toContain('svc_http_request_seconds_bucket');
    expect(text).not.toContain('secret');
    expect((await store.call('GET', '/metrics')).status).toBe(401);
  });

  it('have a token of their own, which opens nothing else', async () => {
    const token = 'scraper-0123456789';
    const store = await openTestStore({ environment: { SVC_METRICS_TOKEN: token } });
    expect((await store.call('GET', '/metrics', { token })).status).toBe(200);
    const others = [undefined, `${token}x`, await store.publisherToken()];
    const refused = others.map((other) => store.call('GET', '/metrics', other ? { token: other } : {}));
    for (const [at, status] of [401, 401, 403].entries()) {
      const answer = (await refused[at]) as Response;
      expect(answer.status).toBe(status);
      expect(await answer.json()).toMatchObject({ message: expect.stringContaining('SVC_METRICS_TOKEN') });
    }
    expect((await store.call('GET', '/api/admin/settings', { token })).status).toBe(401);
    expect((await store.call('GET', '/metrics', { token: ADMIN_TOKEN })).status).toBe(200);
    const shown = await jsonOf(await store.call('GET', '/api/admin/settings', { token: ADMIN_TOKEN }));
    expect(JSON.stringify(shown)).not.toContain(token);
  });
});

describe('the gauges of what waits', () => {
  it('have a negative age for a revocation list from the future, which a clock that was ahead has signed', async () => {
    const store = await openTestStore();
    store.advance(40 * 24 * HOUR_MS);
    await store.call('GET', '/api/apps/revocations');
    store.advance(-40 * 24 * HOUR_MS);
    const text = await (await store.call('GET', '/metrics', { token: ADMIN_TOKEN })).text();
    expect(text).toContain(`svc_revocation_list_age_seconds -${40 * 24 * 3_600}`);
  });

  it('count reviews, mails and the age of the list, and leave the other metrics alone without a database', async () => {
    const store = await openModeratedStore({ policy: { reviewDays: 1 } });
    await store.publish(await store.publisherToken());
    store.advance(25 * 3_600_000);
    const read = async () => (await store.call('GET', '/metrics', { token: ADMIN_TOKEN })).text();
    const text = await read();
    const gauge = (name: string) => Number(new RegExp(`^svc_${name} (\\d+)$`, 'm').exec(text)?.[1]);
    expect(gauge('reviews_waiting')).toBe(1);
    expect(gauge('reviews_overdue')).toBe(1);
    expect(gauge('reviews_oldest_seconds')).toBe(25 * 3_600);
    expect([gauge('mails_waiting'), gauge('jobs_failed'), gauge('versions_abandoned')]).toEqual([0, 0, 0]);
    expect(gauge('revocation_list_age_seconds')).toBeGreaterThanOrEqual(0);
    expect(text).toContain('svc_part_ready{part="database"} 1');
    await store.close();
    const closed = await read();
    expect(closed).toContain('svc_http_requests_total');
    expect(closed).not.toContain('svc_reviews_waiting');
    expect(closed).toContain('svc_part_ready{part="database"} 0');
    expect(closed).toContain('svc_jobs_failed');
  });
});
