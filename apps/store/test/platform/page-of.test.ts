import { describe, expect, it } from 'vitest';
import { pageOf } from '../../src/platform/page-of.ts';

const LETTERS = [...'abcde'];

const page = (query: { cursor?: string | undefined; limit: number }) =>
  pageOf(
    query,
    async (after) => LETTERS.filter((letter) => after === null || letter > after).slice(0, query.limit + 1),
    (letter) => letter,
  );

describe('a page of a list', () => {
  it('goes on behind the last of the page before, to the end', async () => {
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
  ])('refuses the cursor %j, which no page gave', async (cursor) => {
    await expect(page({ limit: 2, cursor })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
