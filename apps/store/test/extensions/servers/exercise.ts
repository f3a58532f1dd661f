import { toolQueries } from '../../../src/extensions/servers/extension.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { APP, LATER, MOVER, NOW, PERSON, PUBLISHER, REF } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, _stores, report) => {
  const { tools } = report(toolQueries(db));
  const recorded = { source: 'store', recordedAt: NOW, tools: [] } as const;
  await tools.addRecord(REF, { ...recorded, tools: [] }, MOVER);
  await tools.replaceRecord(REF, { ...recorded, tools: [] }, MOVER);
  await tools.record(REF);
  await tools.approve(REF, undefined, MOVER);
  await tools.approve(REF, NOW, MOVER);
  await tools.lastReviewed(APP);
  await tools.forgetUnseen(REF, MOVER);
  await tools.planCheck(APP, NOW);
  await tools.check(APP);
  await tools.dueChecks(NOW, 1, { publishers: [PUBLISHER], failing: true });
  await tools.claimCheck({ appId: APP, nextAt: NOW, state: {} }, LATER);
  await tools.finishCheck({ appId: APP, nextAt: LATER, state: { driftSince: NOW } }, LATER);
  await tools.withDrift(100);
  await tools.depositReviewerAccount(APP, { host: 'a', sealed: 'b', by: PERSON, at: NOW });
  await tools.reviewerAccount(APP);
  await tools.removeReviewerAccount(APP);
};
