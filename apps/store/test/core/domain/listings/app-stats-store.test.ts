import { expect, it } from 'vitest';
import { createStores } from '../../../../src/adapters/database/stores.ts';
import { ratingOf } from '../../../../src/core/domain/listings/app-stats-store.ts';
import { openDatabase } from '../../../support/database.ts';
import { addPublisher, submitRow, VERSION } from '../../../support/version-row.ts';

it('averages the stars of all ratings', () => {
  expect(ratingOf([0, 0, 0, 0, 0])).toEqual({ average: 0, count: 0 });
  expect(ratingOf([1, 0, 0, 0, 1])).toEqual({ average: 3, count: 2 });
  expect(ratingOf([0, 0, 1, 2, 0])).toEqual({ average: 11 / 3, count: 3 });
});

it('throws when it would remove a rating that was not counted', async () => {
  const db = await openDatabase();
  await addPublisher(db);
  const { appStats, ...stores } = createStores(db);
  await submitRow(stores);
  const { appId } = VERSION;
  expect(await appStats.of(appId)).toEqual({ installs: 0, stars: [0, 0, 0, 0, 0] });
  await appStats.adjustHistogram(appId, null, 4);
  await appStats.adjustHistogram(appId, 4, 5);
  await appStats.adjustHistogram(appId, 5, 5);
  await appStats.addInstalls(new Map([[appId, 3]]));
  expect(await appStats.of(appId)).toEqual({ installs: 3, stars: [0, 0, 0, 0, 1] });
  await expect(appStats.adjustHistogram(appId, 1, 5)).rejects.toThrow();
  expect(await appStats.of(appId)).toEqual({ installs: 3, stars: [0, 0, 0, 0, 1] });
});
