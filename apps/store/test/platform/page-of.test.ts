import { describe, expect, it } from 'vitest';
import { ById, pageOf, sortedPageOf } from '../../src/platform/page-of.ts';

const LETTERS = [...'abcde'];

const page = (query: { cursor?: string | undefined; limit: number }) =>
  pageOf(
    query,
    ById,
    async (after) =>
      LETTERS.filter((letter) => after === null || letter > after[0]).slice(0, query.limit + 1),
    (letter) => [letter],
  );

describe('a page of a list', () => {
  it('continues after the last item of the previous page, until the end', async () => {
    const first = await page({ limit: 2 });
    const second = await page({ limit: 2, cursor: first.nextCursor ?? '' });
    const third = await page({ limit: 2, cursor: second.nextCursor ?? '' });
    expect([first, second, third].map(({ items }) => items.join(''))).toEqual(['ab', 'cd', 'e']);
    expect(third.nextCursor).toBeNull();
  });

  it.each([
    '',
    'x',
    Buffer.from('[1]').toString('base64url'),
    Buffer.from('["a","b"]').toString('base64url'),
  ])('rejects the invalid cursor %j', async (cursor) => {
    await expect(page({ limit: 2, cursor })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('a page of a sorted list', () => {
  const ITEMS = [...'bab'].map((key, n) => ({ key, id: String(n) }));
  const sorted = ITEMS.toSorted((a, b) => (a.key + a.id < b.key + b.id ? -1 : 1));
  const page = (order: string, cursor?: string) =>
    sortedPageOf(
      { limit: 1, order, ...(cursor !== undefined && { cursor }) },
      async (after) => ({
        rows: sorted.filter(({ key, id }) => after === null || key + id > after.key + after.id).slice(0, 2),
        end: null,
      }),
      (item) => item,
    );

  it('continues after the last item, also when several have the same key', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { items, nextCursor } = await page('key asc', cursor);
      seen.push(...items.map(({ id }) => id));
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(['1', '0', '2']);
  });

  it('rejects a cursor of another order', async () => {
    const { nextCursor } = await page('key asc');
    await expect(page('key desc', nextCursor ?? '')).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
