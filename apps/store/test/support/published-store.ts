import { openTestStore } from './test-store.ts';

/** A store in which the first version of an app is published, and a token of its publisher. */
export async function openPublishedStore() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  return { store, token };
}
