import { managedQueries } from '../../../src/extensions/managed/extension.ts';
import type { Exercise } from '../../support/plans/exercise.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, _stores, report) => {
  const { managed } = report(managedQueries(db));
  await managed.write({ settings: { exportChats: false }, changedAt: '2026-01-01T00:00:00.000Z' });
  await managed.read();
};
