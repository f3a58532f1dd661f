import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readLeniently } from '../../src/platform/lenient.ts';

const Entry = z.object({
  id: z.string(),
  title: z.string().optional(),
  tags: z.array(z.string()).optional(),
  size: z.object({ width: z.number(), note: z.string().optional() }).optional(),
});
const Page = z.object({ entries: z.array(Entry), total: z.number() });

describe('reading leniently', () => {
  it('returns a well-formed value as it is, with unknown fields', () => {
    const value = { id: 'a', more: 1 };
    expect(readLeniently(Entry, value)).toEqual({ value, lost: [] });
  });

  it.each<[unknown, unknown, string[]]>([
    [{ id: 'a', title: null }, { id: 'a' }, ['title']],
    [{ id: 'a', tags: ['x', 1, null, 'y'] }, { id: 'a', tags: ['x', 'y'] }, ['tags.1', 'tags.2']],
    [{ id: 'a', size: { width: 1, note: 5 } }, { id: 'a', size: { width: 1 } }, ['size.note']],
    [{ id: 'a', size: { width: 'wide' } }, { id: 'a' }, ['size.width', 'size']],
    [{ id: 'a', title: [], tags: 'x', size: 1 }, { id: 'a' }, ['title', 'tags', 'size']],
  ])('removes the malformed parts of %j', (value, kept, lost) => {
    const read = readLeniently(Entry, value);
    expect(read).toEqual({ value: kept, lost: expect.arrayContaining(lost) });
  });

  it.each([
    [{}, 'id'],
    [{ id: 5 }, 'id'],
    [null, ''],
    ['text', ''],
  ])('names what it cannot do without in %j', (value, fault) => {
    expect(readLeniently(Entry, value)).toEqual({ fault });
  });

  it('fills what is required but not essential, and drops elements without an essential part', () => {
    const options = { fillers: [null, '', [], 0], essential: ['id', 'entries'] };
    const value = { entries: [{ id: 'a', title: 1 }, { title: 'no id' }, { id: 'b' }] };
    expect(readLeniently(Page, value, options)).toMatchObject({
      value: { entries: [{ id: 'a' }, { id: 'b' }], total: 0 },
    });
    expect(readLeniently(Page, { total: 1 }, options)).toEqual({ fault: 'entries' });
  });

  it('does not change the value that it is given', () => {
    const value = Object.freeze({ id: 'a', tags: Object.freeze([1, 'x']) });
    expect(readLeniently(Entry, value)).toMatchObject({ value: { id: 'a', tags: ['x'] } });
    expect(value.tags).toEqual([1, 'x']);
  });

  it('ends on a value with thousands of faults', () => {
    const read = readLeniently(Page, { entries: Array.from({ length: 5_000 }, () => 7), total: 1 });
    expect(read).toMatchObject({ value: { entries: [] } });
  });
});
