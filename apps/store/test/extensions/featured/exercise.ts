import { featuredQueries } from '../../../src/extensions/featured/extension.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { APP, OTHER } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, _stores, report) => {
  const { featured } = report(featuredQueries(db));
  await featured.set([APP, OTHER.appId]);
  await featured.ids();
  await featured.all();
  await featured.remove(APP);
  await featured.set([]);
};
