import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editJson } from '../../src/manifest-file/edit-json.ts';
import { type Change, valueAt, withChange } from '../../src/manifest-file/json-pointer.ts';

const put = (value: unknown): Change => ({ put: value });
const remove: Change = { remove: true };

describe('a change', () => {
  it.each([
    {
      what: 'a value',
      before: '{\r\n\t"a" : 1 ,\r\n\t"b":2}',
      steps: ['a'],
      change: put('x'),
      after: '{\r\n\t"a" : "x" ,\r\n\t"b":2}',
    },
    {
      what: 'an item',
      before: '{ "a": [1,2 , 3] }',
      steps: ['a', '1'],
      change: put(9),
      after: '{ "a": [1,9 , 3] }',
    },
    {
      what: 'a list',
      before: '{ "a": 1 }',
      steps: ['a'],
      change: put(['x', { b: 1 }]),
      after: '{ "a": ["x", { "b": 1 }] }',
    },
    {
      what: 'a new field on a line of its own',
      before: '{\n  "a": 1\n}\n',
      steps: ['b'],
      change: put(2),
      after: '{\n  "a": 1,\n  "b": 2\n}\n',
    },
    {
      what: 'a new field with tabs and CRLF',
      before: '{\r\n\t"a": 1\r\n}',
      steps: ['b'],
      change: put(2),
      after: '{\r\n\t"a": 1,\r\n\t"b": 2\r\n}',
    },
    {
      what: 'a new field on the same line',
      before: '{ "a": 1 }',
      steps: ['b'],
      change: put(2),
      after: '{ "a": 1, "b": 2 }',
    },
    {
      what: 'a new field among no spaces',
      before: '{"a":1}',
      steps: ['b'],
      change: put(2),
      after: '{"a":1,"b": 2}',
    },
    { what: 'the first field', before: '{}', steps: ['a'], change: put(1), after: '{"a": 1}' },
    {
      what: 'the first field away',
      before: '{\n  "a": 1,\n  "b": 2\n}',
      steps: ['a'],
      change: remove,
      after: '{\n  "b": 2\n}',
    },
    {
      what: 'the last field away',
      before: '{\n  "a": 1,\n  "b": 2\n}',
      steps: ['b'],
      change: remove,
      after: '{\n  "a": 1\n}',
    },
    { what: 'the only field away', before: '{\n  "a": 1\n}', steps: ['a'], change: remove, after: '{}' },
    {
      what: 'the first item away',
      before: '["a","b","c"]',
      steps: ['0'],
      change: remove,
      after: '["b","c"]',
    },
    {
      what: 'the last item of a line away',
      before: '["a","b"]',
      steps: ['1'],
      change: remove,
      after: '["a"]',
    },
    {
      what: 'the last item of many lines away',
      before: '[\n  1,\n  2\n]',
      steps: ['1'],
      change: remove,
      after: '[\n  1\n]',
    },
  ])('of $what changes nothing else', ({ before, steps, change, after }) => {
    expect(editJson(before, steps, change)).toBe(after);
  });

  it.each([
    { what: 'the whole document', steps: [], change: put({}) },
    { what: 'a field of a missing value', steps: ['x', 'y'], change: put(1) },
    { what: 'a field of a number', steps: ['a', 'b'], change: put(1) },
    { what: 'a missing field, by removal', steps: ['x'], change: remove },
  ])('of $what returns undefined', ({ steps, change }) => {
    expect(editJson('{ "a": 1 }', steps, change)).toBeUndefined();
  });
});

/** The paths of all values in a document. */
const placesIn = (value: unknown): string[][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([step, inner]) => [
        [step],
        ...placesIn(inner).map((rest) => [step, ...rest]),
      ])
    : [];

it('results in the changed document for any formatting', () => {
  fc.assert(
    fc.property(
      fc.object({ withBigInt: false, values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)] }),
      fc.constantFrom(undefined, 2, '\t'),
      fc.constantFrom('\n', '\r\n'),
      fc.nat(),
      fc.option(fc.jsonValue(), { nil: undefined }),
      (document, indent, lineEnd, pick, value) => {
        const original = JSON.parse(JSON.stringify(document));
        const places = placesIn(original);
        const steps = places[pick % Math.max(1, places.length)];
        fc.pre(steps !== undefined);
        const change = value === undefined ? remove : put(JSON.parse(JSON.stringify(value)));
        const text = JSON.stringify(original, null, indent).replaceAll('\n', lineEnd);
        const edited = editJson(text, steps ?? [], change) ?? '';
        expect(JSON.parse(edited)).toEqual(withChange(original, steps ?? [], change));
        if (change === remove) return;
        expect(valueAt(JSON.parse(edited), steps ?? [])).toEqual('put' in change && change.put);
      },
    ),
  );
});
