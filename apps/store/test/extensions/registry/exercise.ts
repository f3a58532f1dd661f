import { createReleasedStore } from '../../../src/extensions/registry/released-store.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { APP, LATER, NOW, OTHER, REF } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, _stores, report) => {
  const { released } = report({ released: createReleasedStore(db) });
  const one = { limit: 31, withYanked: false };
  const after = { appId: OTHER.appId, version: '1.0.0', changedAt: NOW };
  for (const withYanked of [false, true]) {
    await released.page(null, { ...one, withYanked });
    await released.page(after, { ...one, withYanked });
    await released.withVersion('1.0.0', after, { ...one, withYanked });
    await released.changes(LATER, null, { ...one, withYanked });
    await released.changes('1970-01-01T00:00:00.000Z', after, { ...one, withYanked });
    await released.ofApp(APP, withYanked);
  }
  await released.publishedAfter(OTHER, 31);
  await released.manifestsOf([REF, OTHER]);
  await released.oneOf([APP, OTHER.appId], null);
  await released.oneOf([APP, OTHER.appId], '1.0.0');
};
