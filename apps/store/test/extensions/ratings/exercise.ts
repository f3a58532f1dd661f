import { ratingQueries } from '../../../src/extensions/ratings/extension.ts';
import { createTraces } from '../../../src/extensions/ratings/traces.ts';
import type { Exercise } from '../../support/plans/exercise.ts';
import { APP, NOW, OTHER, PERSON } from '../../support/plans/rows.ts';

/** Calls every query of the extension. */
export const exercise: Exercise = async (db, stores, report) => {
  const { ratings, flags } = report(ratingQueries(db));
  const written = {
    stars: 5,
    title: '',
    body: '',
    version: '1.0.0',
    createdAt: NOW,
    updatedAt: NOW,
    waitingSince: null,
  };
  await ratings.add({ id: 'r', appId: OTHER.appId, personId: PERSON, ...written });
  await ratings.find('r');
  await ratings.of(PERSON, APP);
  const place = [NOW, 'r'] as const;
  await ratings.shown(APP, 'newest', null, 20);
  await ratings.shown(APP, 'newest', place, 20);
  await ratings.shown(APP, 'lowest', [...place, 3], 20);
  await ratings.ofNewAccounts(APP, NOW, 200);
  await ratings.waiting(null, 20);
  await ratings.waiting(place, 20);
  await ratings.rewrite('r', written);
  await ratings.reply('r', { body: 'b', createdAt: NOW, updatedAt: NOW });
  await ratings.reply('r', null);
  await ratings.decide('r', { hidden: false, note: '' });
  await ratings.requestModeration('r', NOW);
  await ratings.withhold(PERSON, true);
  await flags.put({ ratingId: 'r', personId: PERSON, byPublisher: false, reason: 'spam', note: '', at: NOW });
  await flags.decidedAt('r', PERSON);
  await flags.open(['r', 'rating-1002500'], 3);
  await flags.decide('r', NOW);
  await flags.purgeDecided('2025-0');
  await ratings.blank('r', NOW);
  await ratings.remove('r');
  await ratings.purgeRemoved('2025-0');
  const { traces } = report({ traces: createTraces(db) });
  await traces.usedApp(stores, APP);
  await traces.recordsOf(PERSON);
  await traces.personLeaves(stores, PERSON, NOW);
};
