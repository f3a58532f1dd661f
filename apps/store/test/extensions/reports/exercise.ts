import { reportQueries } from '../../../src/extensions/reports/extension.ts';
import { createTraces } from '../../../src/extensions/reports/traces.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { APP, NOW, PERSON, PUBLISHER, REF } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, stores, report) => {
  const { reports } = report(reportQueries(db));
  const said = {
    category: 'malware',
    evidence: 'Why.',
    at: NOW,
    domain: 'd',
    network: 'n',
    weight: 500,
  } as const;
  await reports.put({ ...REF, ...said, id: 'r', publisher: PUBLISHER, personId: PERSON });
  await reports.of(PERSON);
  await reports.open([]);
  await reports.open([PUBLISHER]);
  await reports.read(REF);
  await reports.recordOf(PERSON);
  const of = { publisher: PUBLISHER, appId: null, version: null };
  await reports.upheldBy(of);
  await reports.upheldBy({ ...of, appId: APP });
  await reports.upheldBy({ ...of, ...REF });
  await reports.purgeDecided('2020-01-01T00:00:00.000Z');
  await reports.decide(REF, { outcome: 'upheld', note: '', by: PERSON, at: NOW });
  const retentionDays = { addresses: null, sessions: 60, reports: 3_650, mails: 3 };
  const { traces } = report({ traces: createTraces({ db, retentionDays }) });
  await traces.usedApp(stores, APP);
  await traces.recordsOf(PERSON);
  await traces.personLeaves(stores, PERSON);
};
