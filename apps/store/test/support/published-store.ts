import type { Manifest } from '@svc/contracts';
import { bodyOf, openTestStore, type TestStore } from './test-store.ts';

/** A store with a published first version of an app, and a token of its publisher. */
export async function openPublishedStore() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  return { store, token };
}

/** A store that lists one version of an app, with changes to its manifest. */
export async function listed(changes: Partial<Manifest> = {}): Promise<TestStore> {
  const store = await openTestStore();
  const token = await store.publisherToken();
  const { appId, version } = await bodyOf(store.publish(token, changes));
  await store.decide('approve', version, {}, appId);
  return store;
}

/** The text of a page. */
export const textOf = async (store: TestStore, path: string) => (await store.call('GET', path)).text();
