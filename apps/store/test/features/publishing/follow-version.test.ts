import { describe, expect, it } from 'vitest';
import { openModeratedStore } from '../../support/moderated-store.ts';
import { bodyOf } from '../../support/test-store.ts';

describe('the status of a version', () => {
  it('has the reasons for the review, the position in the queue and the due date', async () => {
    const store = await openModeratedStore({ policy: { reviewDays: 0.5 } });
    const token = await store.publisherToken();
    const status = (appId: string, version = '1.0.0') =>
      bodyOf(store.call('GET', `/api/apps/${appId}/versions/${version}/status`));
    await store.publish(token, { id: 'com.example.first' });
    store.advance(1_000);
    await store.publish(token, { id: 'com.example.second' });
    expect(await status('com.example.second')).toEqual({
      httpStatus: 200,
      appId: 'com.example.second',
      version: '1.0.0',
      status: 'in_review',
      issues: expect.any(Array),
      notes: '',
      retracted: false,
      reasons: ['first-version', 'publisher-unverified'],
      review: { position: 2, of: 2, dueAt: '2026-03-02T00:00:01.000Z' },
    });
    store.advance(1_000);
    await store.publish(token, { id: 'com.example.first', version: '1.1.0' });
    expect(await status('com.example.first')).toMatchObject({ review: { position: 3, of: 3 } });
    expect(await status('com.example.second')).toMatchObject({ review: { position: 1, of: 3 } });
    await store.decide('approve', '1.0.0', {}, 'com.example.second');
    const after = await status('com.example.second');
    expect(after).toMatchObject({ status: 'published' });
    expect(Object.keys(after)).not.toContain('review');
    expect(Object.keys(after)).not.toContain('reasons');
    expect(await status('com.example.first', '1.1.0')).toMatchObject({ review: { position: 1, of: 2 } });
  });
});
