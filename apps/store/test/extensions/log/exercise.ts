import { EMPTY_EDGE, encodeEntry } from '@svc/log';
import { logMoves } from '../../../src/core/domain/trust/trust-log.ts';
import { logQueries } from '../../../src/extensions/log/extension.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { NOW, REF } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, _stores, report) => {
  const { logs } = report(logQueries(db));
  const step = { from: 'published', to: 'yanked' };
  await logMoves(db, [REF], step, { by: 'person:1000500', at: NOW, note: '' });
  const state = await logs.state();
  const count = await logs.count();
  await logs.entries(count - 2, count);
  await logs.published(REF);
  await logs.entryOfPublished(REF);
  await logs.yankedAt(REF);
  await logs.unlogged();
  await logs.logVerified();
  await logs.publish(state, EMPTY_EDGE, '');
  await logs.begun(NOW);
  await logs.replaceFrom(count, [encodeEntry({ kind: 'restored', at: NOW, from: 0, to: 1 })]);
};
