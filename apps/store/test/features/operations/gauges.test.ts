import { describe, expect, it } from 'vitest';
import { openModeratedStore } from '../../support/moderated-store.ts';
import { ADMIN_TOKEN } from '../../support/test-store.ts';

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
