import { emergencyQueries } from '../../../src/extensions/emergencies/extension.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { ACTOR, APP, MOVER, NOW, PERSON, PUBLISHER } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, { audit }, report) => {
  const { emergencies: store } = report(emergencyQueries(db));
  await store.newestOf([APP, 'com.example.other']);
  const target = { publisher: PUBLISHER, appId: null };
  const acts = { yank: true, suspend: true, revokeTokens: true, endSessions: true };
  const reach = { apps: 0, versions: 0, installs: 0, members: 0, tokens: 0, sessions: 0, dependants: [] };
  const decided = { decidedBy: null, decidedAt: null, undoneBy: null, undoneAt: null };
  const by = { startedBy: PERSON, startedAt: NOW, ...decided };
  await store.add({ id: 'e', state: 'waiting', ...target, acts, reason: '', reach, effects: null, ...by });
  await store.find('e');
  await store.list();
  await store.decide('e', 'done', MOVER);
  await store.setEffects('e', { versionsYanked: 0, suspended: false, tokensRevoked: 0, sessionsEnded: 0 });
  await store.undo('e', MOVER);
  for (const apps of [target, { publisher: PUBLISHER, appId: APP }]) {
    await store.reach(apps, NOW);
    await store.yankAll(apps, 'Why.', MOVER);
    await store.yankedAt(apps, NOW);
    await store.unyankAll(apps, NOW, 'Why.', MOVER);
    await store.unyankAll(apps, NOW, 'Why.', MOVER, [{ appId: APP, version: '1.0.0' }]);
  }
  await store.revokeTokens(PUBLISHER, NOW);
  await audit.addAll(ACTOR, NOW, [{ action: 'version.yank' }]);
};
