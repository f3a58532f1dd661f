import type { Category } from '@svc/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createStores } from '../../../../src/adapters/database/stores.ts';
import type { BrowseSort, ListingQuery, Position } from '../../../../src/core/domain/listings/listing.ts';
import { findPage } from '../../../../src/core/domain/listings/listing-pages.ts';
import { openDatabase } from '../../../support/database.ts';
import { addPublisher, submitVersion } from '../../../support/version-row.ts';

const SORTS: readonly BrowseSort[] = ['installs', 'rating', 'updated', 'new', 'name'];
const CATEGORIES: readonly Category[] = ['games', 'data'];
const day = (n: number): string => `2026-01-${String(10 + (n % 7)).padStart(2, '0')}T00:00:00.000Z`;

const APPS = Array.from({ length: 23 }, (_, n) => ({
  appId: `com.example.app${n}`,
  name: ['b', 'A', 'é', 'a b'][n % 4] ?? '',
  categories: CATEGORIES.filter((_, bit) => n & (1 << bit)),
  firstPublishedAt: day(n * 3),
  updatedAt: day(n * 5),
  installs: (n * 7) % 5,
  rating: { average: (n % 3) + 1, count: n % 4 },
}));

async function listed() {
  const db = await openDatabase();
  await addPublisher(db);
  const stores = createStores(db);
  for (const { installs, rating, ...app } of APPS) {
    await submitVersion(stores, { appId: app.appId, version: '1.0.0' }, 'example');
    await stores.listings.put({ ...app, version: '1.0.0', description: 'Some text.' });
    await stores.listings.updateRank(app.appId, { installs, rating });
  }
  return { db, stores };
}

it('returns each app once, and the same pages whether it collects the filtered apps or walks the sort order', async () => {
  const { db } = await listed();
  const filter = fc.record({
    category: fc.constantFrom<Category | null>(null, 'games', 'data', 'finance'),
    updatedSince: fc.constantFrom(null, day(0), day(3), '2027-01-01T00:00:00.000Z'),
    sort: fc.constantFrom(...SORTS),
    limit: fc.integer({ min: 1, max: 10 }),
  });
  const pagesOf = async (asked: Omit<ListingQuery, 'after'>, most: number) => {
    const seen: string[] = [];
    let after: Position | null = null;
    do {
      const page: Awaited<ReturnType<typeof findPage>> = await findPage(db, { ...asked, after }, most);
      seen.push(...page.appIds);
      after = page.end;
    } while (after !== null);
    return seen;
  };
  await fc.assert(
    fc.asyncProperty(filter, async (asked) => {
      const [gathered, walked] = [await pagesOf(asked, 1_000), await pagesOf(asked, -1)];
      expect(walked).toEqual(gathered);
      const expected = APPS.filter(
        ({ categories, updatedAt }) =>
          (asked.category === null || categories.includes(asked.category)) &&
          (asked.updatedSince === null || updatedAt >= asked.updatedSince),
      );
      expect(new Set(walked)).toEqual(new Set(expected.map(({ appId }) => appId)));
      expect(walked).toHaveLength(expected.length);
      const { total } = await findPage(db, { ...asked, after: null });
      expect(total).toBe(expected.length);
    }),
    { numRuns: 30 },
  );
});

it('continues after a page without skipped or repeated apps while new apps are published', async () => {
  const { db, stores } = await listed();
  for (const sort of SORTS) {
    const query = { category: null, updatedSince: null, sort, limit: 5 };
    const whole = await findPage(db, { ...query, limit: 100, after: null });
    const first = await findPage(db, { ...query, after: null });
    const appId = `com.example.new-${sort}`;
    await submitVersion(stores, { appId, version: '1.0.0' }, 'example');
    await stores.listings.put({
      ...{ appId, version: '1.0.0', name: '0', description: '', categories: [] },
      ...{ firstPublishedAt: '2030-01-01T00:00:00.000Z', updatedAt: '2030-01-01T00:00:00.000Z' },
    });
    await stores.listings.updateRank(appId, { installs: 1e6, rating: { average: 5, count: 1e6 } });
    const second = await findPage(db, { ...query, after: first.end });
    expect([...first.appIds, ...second.appIds], sort).toEqual(whole.appIds.slice(0, 10));
    await stores.listings.remove(appId);
  }
});
