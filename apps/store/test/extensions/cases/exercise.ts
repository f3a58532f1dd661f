import { caseQueries } from '../../../src/extensions/cases/extension.ts';
import type { Exercise } from '../../support/plans/exercise.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, _stores, report) => {
  const { cases } = report(caseQueries(db));
  await cases.assign('appeal', 'a', 'person:ann');
  await cases.assignedTo('appeal', 'a');
  await cases.all();
  await cases.unassign('appeal', 'a');
  await cases.unassignFrom('person:ann');
};
