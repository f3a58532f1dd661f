import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../../../support/test-store.ts';

const REVIEW = '/api/moderation/apps/com.example.notes/versions/1.0.0';
const BUNDLE = `${REVIEW}/bundle`;

describe('the pictures of a version in review', () => {
  it('are the files that its branding names, sandboxed, and only for moderators', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    const { pictures } = await bodyOf(store.admin('GET', REVIEW));
    expect(pictures.sort()).toEqual(['assets/icon.png', 'assets/mark.svg']);
    for (const [path, type] of [
      ['assets/icon.png', 'image/png'],
      ['assets/mark.svg', 'image/svg+xml'],
    ]) {
      const { status, headers } = await store.admin('GET', `${REVIEW}/files/${path}`);
      expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
        200,
        type,
        'private, no-store',
      ]);
      expect(headers.get('content-security-policy')).toContain('sandbox');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    for (const path of ['plugin.json', 'README.md', 'assets/../plugin.json', '..%2f..%2fplugin.json']) {
      expect((await store.admin('GET', `${REVIEW}/files/${path}`)).status).toBe(404);
    }
    expect((await store.call('GET', `${REVIEW}/files/assets/icon.png`, { token })).status).toBe(403);
  });
});

describe('the bundle of a version in review', () => {
  it('is served with its hash, and only to moderators', async () => {
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
