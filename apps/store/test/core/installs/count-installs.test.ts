import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createStores, createUnitOfWork } from '../../../src/adapters/database/stores.ts';
import { COUNTED_A_DAY, countInstalls, type Download } from '../../../src/core/installs/count-installs.ts';
import { openDatabase } from '../../support/database.ts';
import { addPublisher, submitVersion } from '../../support/version-row.ts';

const DAYS = ['2026-03-01', '2026-03-02'];

/** Random downloads of few installations, apps and versions, so that many coincide. */
const downloads = fc.array(
  fc.record({
    app: fc.integer({ min: 1, max: 2 }),
    who: fc.integer({ min: 1, max: 5 }),
    version: fc.constantFrom('1.0.0', '1.1.0'),
    late: fc.boolean(),
  }),
  { maxLength: 30 },
);

/** The queue of the recorder never contains the same download twice. */
const unique = (found: Download[]): Download[] => [
  ...new Map(found.map((one) => [`${one.idHash} ${one.day} ${one.version}`, one])).values(),
];

it('counts each installation once, and each version that it downloads once a day, in any batches', async () => {
  const db = await openDatabase();
  await addPublisher(db);
  const stores = createStores(db);
  const unitOfWork = createUnitOfWork(db);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(downloads, { minLength: 1, maxLength: 4 }), async (batches) => {
      run += 1;
      const appOf = (n: number) => `com.example.run${run}-${n}`;
      for (const n of [1, 2]) await submitVersion(stores, { appId: appOf(n), version: '1.0.0' }, 'example');
      const seen = new Set<string>();
      const asked: Download[][] = batches.map((batch) =>
        unique(
          batch.map(({ app, who, version, late }) => ({
            appId: appOf(app),
            idHash: `${appOf(app)} ${who}`,
            version,
            day: String(DAYS[late ? 1 : 0]),
            networkHash: `run${run}`,
          })),
        ),
      );
      for (const batch of asked) await unitOfWork((within) => countInstalls(within, batch));
      for (const one of asked.flat()) seen.add(`${one.appId}\n${one.idHash}\n${one.day}\n${one.version}`);
      for (const appId of [appOf(1), appOf(2)]) {
        const mine = [...seen].filter((key) => key.startsWith(`${appId}\n`));
        const people = new Set(mine.map((key) => key.split('\n')[1]));
        const counts = await stores.installs.countsOf(appId, '2026-01-01', '2026-12-31');
        const sum = (of: 'installs' | 'updates') => counts.reduce((all, count) => all + count[of], 0);
        const { installs } = await stores.appStats.of(appId);
        expect([installs, sum('installs'), sum('installs') + sum('updates')]).toEqual([
          people.size,
          people.size,
          mine.length,
        ]);
      }
    }),
    { numRuns: 40 },
  );
});

it('counts a limited number of installations per network and day, also with concurrent transactions', async () => {
  const db = await openDatabase();
  await addPublisher(db);
  const stores = createStores(db);
  await submitVersion(stores, { appId: 'com.example.a', version: '1.0.0' }, 'example');
  const unitOfWork = createUnitOfWork(db);
  const batch = (from: number): Download[] =>
    Array.from({ length: 30 }, (_, n) => ({
      appId: 'com.example.a',
      idHash: `installation ${from + n}`,
      version: '1.0.0',
      day: '2026-03-01',
      networkHash: 'one',
    }));
  await Promise.all([0, 30, 60, 0].map((from) => unitOfWork((within) => countInstalls(within, batch(from)))));
  expect((await stores.appStats.of('com.example.a')).installs).toBe(COUNTED_A_DAY);
  // Installations above the limit are not counted on another day either.
  await unitOfWork((within) =>
    countInstalls(
      within,
      [...batch(0), ...batch(30), ...batch(60)].map((one) => ({ ...one, day: '2026-03-02' })),
    ),
  );
  expect(await stores.installs.countsOf('com.example.a', '2026-03-01', '2026-03-02')).toEqual([
    { day: '2026-03-01', version: '1.0.0', installs: 50, updates: 0 },
    { day: '2026-03-02', version: '1.0.0', installs: 0, updates: 50 },
  ]);
});
