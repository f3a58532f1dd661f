import { appealQueries } from '../../../src/extensions/appeals/extension.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { APP, NOW, PERSON, PUBLISHER, REF } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, { decisions }, report) => {
  const { appeals } = report(appealQueries(db));
  const about = { kind: 'version-rejected', publisher: PUBLISHER, ...REF } as const;
  const cited = { rule: 'other', policy: 1, note: '', decidedBy: PERSON, decidedAt: NOW };
  await decisions.add({ id: 'appealed', ...about, ...cited });
  await appeals.find('appealed');
  await appeals.of(PUBLISHER);
  await appeals.hasOpenAppeal(APP);
  await appeals.openAppeal('appealed', NOW);
  await appeals.openAppeals();
  await appeals.openAppealsOf(PUBLISHER);
  await appeals.addMessage('appealed', 1, { side: 'publisher', author: PERSON, at: NOW, text: '' });
  await appeals.messages(['appealed']);
  await appeals.closeAppeal('appealed', { outcome: 'upheld', note: '', by: PERSON, at: NOW });
};
