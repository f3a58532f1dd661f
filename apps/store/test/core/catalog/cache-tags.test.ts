import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/composition/serve.ts';
import { has } from '../../support/extensions.ts';
import { openPublishedStore } from '../../support/published-store.ts';
import { bodyOf } from '../../support/test-store.ts';

const VERSION = '/api/apps/com.example.notes/versions/1.0.0';
const FILES = ['bundle', 'files/assets/icon.png', 'files/assets/icon.png?raster'];

it('what is served of a version has the tags that its yank and a suspension of its app name', async () => {
  const { store, token } = await openPublishedStore();
  const server = await listen(store, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  for (const file of FILES) {
    const path = `${VERSION}/${file}`;
    // By the router, from memory, and with no body.
    const first = await store.call('GET', path);
    const again = await fetch(`http://127.0.0.1:${server.port}${path}`);
    const etag = first.headers.get('etag') ?? '';
    const unchanged = await store.call('GET', path, { headers: { 'if-none-match': etag } });
    expect([first.status, again.status, unchanged.status]).toEqual([200, 200, 304]);
    for (const { headers } of [first, again, unchanged]) {
      const tags = ['svc-files', 'svc-app-com.example.notes', 'svc-version-com.example.notes@1.0.0'];
      expect(headers.get('surrogate-key')?.split(' ')).toEqual(tags);
      expect(headers.get('cache-tag')?.split(',')).toEqual(tags);
    }
    await again.body?.cancel();
  }
  await store.call('POST', `${VERSION}/yank`, { token, json: { reason: 'It lost notes.' } });
  await store.admin('PATCH', '/api/admin/apps/com.example.notes', { suspended: true, reason: 'Look.' });
  if (!has('webhooks')) return;
  const { events } = await bodyOf(store.call('GET', '/api/events'));
  expect(events.slice(-2)).toMatchObject([
    { type: 'version.yanked', data: { tags: ['svc-version-com.example.notes@1.0.0'] } },
    { type: 'app.suspended', data: { tags: ['svc-app-com.example.notes'] } },
  ]);
});
