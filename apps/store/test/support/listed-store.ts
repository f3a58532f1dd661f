import { sampleBundle } from '@svc/testkit';
import { bodyOf, openTestStore } from './test-store.ts';

/** A store with two published apps of one publisher. */
export async function openListedStore() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  for (const [id, name] of [
    ['com.example.notes', 'Notes & <Lists>'],
    ['com.example.board', 'Board'],
  ] as const) {
    const { appId, version } = await bodyOf(store.upload(token, sampleBundle({ id, name })));
    await store.decide('approve', version, {}, appId);
    store.advance(60_000);
  }
  return { ...store, token };
}
