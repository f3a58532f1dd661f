import { createYearStore } from '../../../src/extensions/transparency/year-store.ts';
import type { Exercise } from '../../support/plans/exercise.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, _stores, report) => {
  const { years } = report({ years: createYearStore(db) });
  await years.countYear(2026);
};
