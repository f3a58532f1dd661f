import { describe, expect, it } from 'vitest';
import { openModeratedStore } from '../../support/moderated-store.ts';
import { ADMIN_TOKEN, jsonOf, openTestStore } from '../../support/test-store.ts';

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
    expect((await store.call('GET', '/metrics', { token: `${token}x` })).status).toBe(401);
    expect((await store.call('GET', '/api/admin/settings', { token })).status).toBe(401);
    expect((await store.call('GET', '/metrics', { token: ADMIN_TOKEN })).status).toBe(200);
    const shown = await jsonOf(await store.call('GET', '/api/admin/settings', { token: ADMIN_TOKEN }));
    expect(JSON.stringify(shown)).not.toContain(token);
  });
});

describe('the gauges of what waits', () => {
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
    await store.close();
    const closed = await read();
    expect(closed).toContain('svc_http_requests_total');
    expect(closed).not.toContain('svc_reviews_waiting');
  });
});
