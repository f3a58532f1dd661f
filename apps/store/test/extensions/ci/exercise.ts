import { ciQueries } from '../../../src/extensions/ci/extension.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { NOW, PERSON, PUBLISHER } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, _stores, report) => {
  const { trustedPublishers } = report(ciQueries(db));
  const workflow = {
    id: 'w',
    publisher: PUBLISHER,
    appId: 'a.b',
    issuer: 'https://ci.example',
    kind: 'other',
  } as const;
  await trustedPublishers.add({ ...workflow, claims: {}, createdAt: NOW, madeBy: PERSON, lastUsedAt: null });
  await trustedPublishers.of(PUBLISHER);
  await trustedPublishers.used('w', NOW);
  await trustedPublishers.remove(PUBLISHER, 'w');
  await trustedPublishers.removeMadeBy('unknown');
  await trustedPublishers.removeAll('unknown');
};
