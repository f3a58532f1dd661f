import { BOTH_DATABASES } from '@svc/testkit';
import { expect, it } from 'vitest';
import { featuredQueries } from '../../../src/extensions/featured/extension.ts';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const APP = 'com.acme.notes';

// The row of a featured app refers to its app, also while the extension is off.
it.each<[string, Record<string, string>]>([
  ['a store', {}],
  ['a store that features none now', { SVC_WITHOUT: 'featured' }],
])('an app that is deleted is not featured any more, in %s', BOTH_DATABASES, async (_, environment) => {
  const before = await openPublisherStore();
  const { token } = await bodyOf(before.admin('POST', '/api/admin/tokens', { publisher: 'acme' }));
  await before.publish(token, { id: APP, publisher: 'acme' });
  await before.decide('approve', '1.0.0', undefined, APP);
  expect((await before.admin('PUT', '/api/admin/featured', { apps: [APP] })).status).toBe(200);
  expect(await featuredQueries(before.stores.db).featured.ids()).toEqual([APP]);
  await before.close();

  const store = await openTestStore({ folder: before.folder, environment });
  await store.prove(before.sessions.anna);
  const path = `/api/publishers/acme/apps/${APP}`;
  expect((await store.call('DELETE', path, { session: before.sessions.anna })).status).toBe(200);
  expect(await featuredQueries(store.stores.db).featured.ids()).toEqual([]);
});
