import { expect, it } from 'vitest';
import { keptFor } from '../../src/platform/kept-for.ts';

/** What is kept for a second, and how it was made. */
function setUp() {
  let now = 0;
  let made = 0;
  const befores: unknown[] = [];
  const read = keptFor(
    () => new Date(now),
    null,
    1_000,
    async (at, before) => {
      befores.push(await before?.catch(() => 'failed'));
      made += 1;
      if (at.getTime() === 5_000) throw new Error('no luck');
      return made;
    },
  );
  const at = (ms: number) => {
    now = ms;
    return read();
  };
  return { at, befores };
}

it('is made once for callers within the time, and again after it, with what was kept before', async () => {
  const { at, befores } = setUp();
  expect(await Promise.all([at(0), at(0), at(999)])).toEqual([1, 1, 1]);
  expect(await at(1_000)).toBe(2);
  expect(befores).toEqual([undefined, 1]);
});

it('is made again when the clock was set back', async () => {
  const { at } = setUp();
  expect([await at(3_000), await at(2_001), await at(2_000)]).toEqual([1, 1, 2]);
});

it('is not kept when it could not be made', async () => {
  const { at, befores } = setUp();
  await expect(at(5_000)).rejects.toThrow('no luck');
  expect(await at(5_001)).toBe(2);
  expect(befores).toEqual([undefined, undefined]);
});
