import { systemActor } from '../../../src/core/domain/audit/audit-log.ts';
import { webhookQueries } from '../../../src/extensions/webhooks/extension.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { LATER, NOW, PERSON, PUBLISHER } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, stores, report) => {
  const { events, webhooks } = report(webhookQueries(db));
  await events.last();
  await events.after(1_000, null, 100);
  await events.after(1_000, PUBLISHER, 100);
  await events.publicAfter(1_000, 100);
  await events.findAll([1, 2]);
  const suspension = { action: 'publisher.suspend', publisher: PUBLISHER } as const;
  await stores.audit.addPublisherChange(systemActor('store'), NOW, suspension);
  await events.findAll([await events.last()]);
  const hook = {
    ...{ id: 'h', publisher: PUBLISHER, url: 'https://a.example', types: null, secret: 's', afterEvent: 0 },
    ...{ createdAt: NOW, madeBy: PERSON, disabledAt: null },
  };
  await webhooks.add(hook);
  await webhooks.find('h');
  await webhooks.of(PUBLISHER);
  await webhooks.of(null);
  await webhooks.behind(true, 5, 100);
  await webhooks.queue(hook, [1, 2], 5, NOW);
  await webhooks.due(false, LATER, 100);
  const [turn] = await webhooks.due(true, LATER, 100);
  if (turn) await webhooks.beginTurn(turn, LATER);
  const [due] = await webhooks.dueOf('h', LATER, 100);
  if (due) {
    await webhooks.claim(due, NOW, LATER);
    await webhooks.ended(due, { state: 'waiting', nextTryAt: LATER, status: 500, fault: null });
  }
  await webhooks.again('h', 1, NOW);
  const state = { id: 'h', slow: 1, failures: 1, failingSince: NOW } as const;
  await webhooks.endTurn({ ...state, notBefore: LATER });
  await webhooks.pause('h', NOW);
  await webhooks.resume('h');
  await webhooks.deliveries('h', 100);
  await webhooks.disable('h', NOW);
  await webhooks.remove('h');
  await webhooks.removeMadeBy('unknown');
  await webhooks.purgeBefore('2000-01-01T00:00:00.000Z');
  await webhooks.removeOf('none');
};
