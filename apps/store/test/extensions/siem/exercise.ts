import { siemQueries } from '../../../src/extensions/siem/extension.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { LATER, NOW } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, _stores, report) => {
  const { delivery } = report(siemQueries(db));
  await delivery.claim(NOW, LATER);
  await delivery.advance(LATER, 1, NOW);
  await delivery.release(LATER);
  await delivery.read();
};
