import type { RuntimeEvent } from '../../src/events/events.ts';
import { createRevocationWatch } from '../../src/revocations/revocation-watch.ts';
import { APP, startSigningStore } from './signing-store.ts';
import { fail, NOW, openWorld, system } from './world.ts';

/** The path of the revocation list. */
export const LIST = '/api/apps/revocations';

/** The event of the version that these tests yank. */
export const YANKED = { type: 'app-yanked', appId: APP, version: '1.0.0', reason: 'It lost notes.' };

export const typesOf = (heard: readonly RuntimeEvent[]): string[] => heard.map(({ type }) => type);

/** A client with the app installed, a second process of it, and a watch in each. */
export async function openWatched() {
  const store = await startSigningStore();
  store.publish();
  const world = await openWorld(store);
  const other = await openWorld(store, { folder: world.folder });
  await world.install();
  const clock = { now: NOW };
  const time = { ...system, now: () => clock.now };
  const watch = createRevocationWatch({ ...world, system: time, onFault: fail });
  const otherWatch = createRevocationWatch({ ...other, system: time, onFault: fail });
  return { store, ...world, clock, watch, other, otherWatch };
}
