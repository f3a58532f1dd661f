import { describe, expect, it } from 'vitest';
import { isShallow, jsonIn, tableOf } from '../../../page/src/tools/table-of.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('tables in results of tools', () => {
  it('are lists of flat objects, with the columns of all of them', () => {
    const rows = [{ id: 1, name: 'A' }, { id: 2, on: true, gone: null }, {}];
    expect(tableOf(rows)).toEqual({ columns: ['id', 'name', 'on', 'gone'], rows });
  });

  it.for<[string, unknown]>([
    ['nothing', null],
    ['an object', { id: 1 }],
    ['a text', 'id'],
    ['an empty list', []],
    ['a list of texts', ['a', 'b']],
    ['a list with something else in it', [{ id: 1 }, 2]],
    ['objects that hold lists', [{ id: 1, tags: ['a'] }]],
    ['objects without anything', [{}, {}]],
    ['too many columns', [Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`c${i}`, i]))]],
  ])('are not %s', ([, value]) => {
    expect(tableOf(value)).toBeNull();
  });
});

describe('JSON in a text', () => {
  it('is an object or a list', () => {
    expect(jsonIn(' {"a":[1]}\n')).toEqual({ a: [1] });
    expect(jsonIn('[1]')).toEqual([1]);
  });

  it.for([
    ['plain text', 'Added.'],
    ['a number', '42'],
    ['broken', '{"a":'],
    ['too long', `[${'1,'.repeat(200_000)}1]`],
    ['too deep', nested(102)],
    ['too deep by far', nested(100_000)],
  ])('is not found in text that is %s', ([, text = '']) => {
    expect(jsonIn(text)).toBeNull();
  });

  it('is shallow up to a hundred levels', () => {
    expect(isShallow(JSON.parse(nested(100)))).toBe(true);
    expect(isShallow(JSON.parse(nested(102)))).toBe(false);
    expect(isShallow('text')).toBe(true);
  });
});
