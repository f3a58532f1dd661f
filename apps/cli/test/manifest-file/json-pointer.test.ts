import { expect, it } from 'vitest';
import { stepsOf, valueAt, withChange } from '../../src/manifest-file/json-pointer.ts';

it.each([
  { pointer: '', steps: [] },
  { pointer: '/', steps: [''] },
  { pointer: '/a/0/b', steps: ['a', '0', 'b'] },
  { pointer: '/a~1b/m~0n/~01', steps: ['a/b', 'm~n', '~1'] },
  { pointer: 'plugin.json', steps: undefined },
])('reads $pointer as RFC 6901 says', ({ pointer, steps }) => {
  expect(stepsOf(pointer)).toEqual(steps);
});

it('finds own properties, and none that are inherited', () => {
  const document = { a: [{ b: 1 }] };
  expect(valueAt(document, ['a', '0', 'b'])).toBe(1);
  expect(valueAt(document, ['a', '1'])).toBeUndefined();
  expect(valueAt(document, ['a', 'length', 'x'])).toBeUndefined();
  expect(valueAt(document, ['constructor'])).toBeUndefined();
  expect(valueAt(document, ['__proto__'])).toBeUndefined();
});

it('changes a copy of the document', () => {
  const document = { a: [1, 2, 3], b: { c: 1 } };
  expect(withChange(document, ['a', '1'], { put: 'x' })).toEqual({ a: [1, 'x', 3], b: { c: 1 } });
  expect(withChange(document, ['a', '1'], { remove: true })).toEqual({ a: [1, 3], b: { c: 1 } });
  expect(withChange(document, ['b', 'c'], { remove: true })).toEqual({ a: [1, 2, 3], b: {} });
  expect(withChange(document, ['b', 'd'], { put: 2 })).toEqual({ a: [1, 2, 3], b: { c: 1, d: 2 } });
  expect(document).toEqual({ a: [1, 2, 3], b: { c: 1 } });
});

it('treats __proto__ as an ordinary key', () => {
  const document = JSON.parse('{ "__proto__": { "a": 1 }, "b": 1 }');
  const changed = withChange(document, ['__proto__', 'a'], { put: 2 });
  expect(JSON.stringify(changed)).toBe('{"__proto__":{"a":2},"b":1}');
  expect(({} as Record<string, unknown>).a).toBeUndefined();
});
