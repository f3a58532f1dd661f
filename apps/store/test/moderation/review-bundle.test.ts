import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, openTestStore } from '../support/test-store.ts';

const BUNDLE = '/api/moderation/apps/com.example.notes/versions/1.0.0/bundle';

describe('the bundle of a version in review', () => {
  it('is what was uploaded, and for moderators alone', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    const response = await store.call('GET', BUNDLE, { token: ADMIN_TOKEN });
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const sha256 = createHash('sha256')
      .update(Buffer.from(await response.arrayBuffer()))
      .digest('hex');
    expect(response.headers.get('x-svc-sha256')).toBe(sha256);
    expect((await store.call('GET', BUNDLE, { token })).status).toBe(403);
    expect((await store.call('GET', BUNDLE)).status).toBe(401);
    expect((await store.call('GET', BUNDLE.replace('1.0.0', '2.0.0'), { token: ADMIN_TOKEN })).status).toBe(
      404,
    );
  });
});
