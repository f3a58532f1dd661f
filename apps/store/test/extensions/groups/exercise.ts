import { groupQueries } from '../../../src/extensions/groups/extension.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { LATER, NOW, PERSON } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, { identities }, report) => {
  const { providerChecks } = report(groupQueries(db));
  const account = { issuer: 'a', subject: 'checked' };
  await identities.add({ id: 'checked', ...account, personId: PERSON, label: '', createdAt: NOW });
  const check = { identityId: 'checked', sealed: null, confirmedAt: NOW, nextAt: NOW };
  await providerChecks.keep(check);
  await providerChecks.adopt(['a'], NOW);
  await providerChecks.due(NOW, 9);
  await providerChecks.claim(check, LATER);
  await providerChecks.finish(check, NOW, LATER);
  await providerChecks.setUnconfirmed(PERSON, 'stale');
  await providerChecks.setUnconfirmed(PERSON, null);
};
