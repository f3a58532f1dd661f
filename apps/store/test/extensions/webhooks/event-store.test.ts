import { expect, it } from 'vitest';
import { systemActor } from '../../../src/core/domain/audit/audit-log.ts';
import { webhookQueries } from '../../../src/extensions/webhooks/extension.ts';
import { openPublishedStore } from '../../support/published-store.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

/** The types and the tags of the newest events that a webhook of the store gets. */
const eventsOf = async (store: TestStore, count: number) => {
  const { events } = webhookQueries(store.stores.db);
  const all = await events.after(0, null, 100);
  return all.slice(-count).map(({ event: { type, data } }) => [type, data.tags]);
};

it('a suspended publisher, and its return, name the tags of all its apps', async () => {
  const { store, token } = await openPublishedStore();
  await store.publish(token, { id: 'com.example.other' });
  await store.publish(await store.publisherToken('others'), { id: 'com.others.app', publisher: 'others' });
  for (const suspended of [true, false])
    await store.admin('PATCH', '/api/admin/publishers/example', { suspended, reason: 'Look.' });
  const tags = ['svc-app-com.example.notes', 'svc-app-com.example.other'];
  expect(await eventsOf(store, 2)).toEqual([
    ['publisher.suspended', tags],
    ['publisher.unsuspended', tags],
  ]);
  const { events } = await bodyOf(store.call('GET', '/api/events'));
  expect(events.at(-2)).toMatchObject({
    type: 'publisher.suspended',
    data: { publisher: 'example', appId: null, reason: 'Look.', tags },
  });
  // The deliveries of a webhook find them by their ids.
  const found = await webhookQueries(store.stores.db).events.findAll([Number(events.at(-2).data.id)]);
  expect(found).toMatchObject([{ event: { data: { tags } } }]);
});

it('a publisher with very many apps, other keys and other access rules name all files', async () => {
  const store = await openTestStore();
  await store.publisherToken();
  for (let n = 0; n <= 100; n += 1)
    await store.stores.apps.add({
      appId: `com.example.a${n}`,
      publisher: 'example',
      suspended: false,
      createdAt: store.clock().toISOString(),
    });
  await store.admin('PATCH', '/api/admin/publishers/example', { suspended: true });
  const operator = systemActor('operator');
  for (const action of ['access.change', 'key.rotate', 'key.lost'] as const)
    await store.stores.audit.add(operator, store.clock().toISOString(), { action });
  expect(await eventsOf(store, 4)).toEqual([
    ['publisher.suspended', ['svc-files']],
    ['store.access-changed', ['svc-files']],
    ['store.key-changed', ['svc-files']],
    ['store.key-changed', ['svc-files']],
  ]);
  const { events } = await bodyOf(store.call('GET', '/api/events'));
  expect(events.at(-1).type).toBe('publisher.suspended');
});

it('a deleted app names its tags, and what was never public names none', async () => {
  const { store, token } = await openPublishedStore();
  const session = await store.signedIn('anna', { membership: { example: 'owner' } });
  await store.publish(token, { version: '1.1.0' });
  await store.decide('reject', '1.1.0', { note: 'No.' });
  const gone = await store.call('DELETE', '/api/publishers/example/apps/com.example.notes', { session });
  expect(gone.status).toBe(200);
  expect((await eventsOf(store, 9)).slice(-3)).toEqual([
    ['version.submitted', []],
    ['version.rejected', []],
    ['app.deleted', ['svc-app-com.example.notes']],
  ]);
});
