import { openTestStore } from './test-store.ts';

/** A store with a published first version of an app, and a token of its publisher. */
export async function openPublishedStore() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  return { store, token };
}
