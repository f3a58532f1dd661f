import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createPublisherStore } from '../../../src/core/domain/identity/publisher-store.ts';
import { walk } from '../../../src/platform/database/walk.ts';
import type { SortedPlace } from '../../../src/platform/page-of.ts';
import { openDatabase } from '../../support/database.ts';
import { MARKS, PUBLISHER } from '../../support/publisher-row.ts';

it('a search stops after so many rows, and goes on from there without a gap', async () => {
  const db = await openDatabase();
  const slugs = ['a-x', 'b', 'c', 'd', 'e-x', 'f', 'g-x', 'h-x', 'i-x'];
  const publishers = createPublisherStore(db);
  for (const slug of slugs) await publishers.create({ ...PUBLISHER, slug }, { ...MARKS, look: slug });
  const read = async (direction: 'asc' | 'desc', key = sql.ref('slug')) => {
    const pages: string[][] = [];
    let after: SortedPlace | null = null;
    do {
      const found: Awaited<ReturnType<typeof page>> = await page(direction, key, after);
      const shown = found.rows.slice(0, 2);
      pages.push(shown.map(({ slug }) => slug));
      const last = shown.at(-1);
      after = found.rows.length > 2 && last ? { key: last.slug, id: last.slug } : found.end;
    } while (after !== null);
    return pages;
  };
  const page = (direction: 'asc' | 'desc', key: ReturnType<typeof sql.ref>, after: SortedPlace | null) =>
    walk(
      db.selectFrom('publishers').selectAll(),
      { key, id: key, direction },
      { text: '-X', columns: ['slug', 'name'], after, limit: 2, searched: 4 },
      ({ slug }) => ({ key: slug, id: slug }),
    );
  expect(await read('asc')).toEqual([['a-x'], ['e-x', 'g-x'], ['h-x', 'i-x']]);
  expect(await read('desc')).toEqual([['i-x', 'h-x'], ['g-x', 'e-x'], ['a-x']]);
});
