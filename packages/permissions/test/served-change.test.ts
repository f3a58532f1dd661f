import { expect, it } from 'vitest';
import { eachField, found, isSame } from '../src/served-change.ts';

/** Values of JSON with the name of what every object inherits. */
const PROTO: unknown = JSON.parse('{"__proto__":{}}');

it.each<[unknown, unknown, boolean]>([
  [{ a: 1, b: [2, { c: 3 }] }, { b: [2, { c: 3 }], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [[1, 2], [2, 1], false],
  [[1], { 0: 1 }, false],
  [PROTO, JSON.parse('{"__proto__":{}}'), true],
  [PROTO, { x: 1 }, false],
  [{ x: 1 }, PROTO, false],
])('%j and %j are the same: %s', (one, other, same) => expect(isSame(one, other)).toBe(same));

it('compares only what is written in both, not what objects inherit', () => {
  const paths = (before: unknown, after: unknown) =>
    eachField(before, after, (key, ...pair) => [found(`/${key}`, 'meta', pair, true)]);
  expect(paths(PROTO, {})).toEqual([
    { path: '/__proto__', kind: 'meta', before: {}, after: null, widens: true },
  ]);
  expect(paths({}, PROTO)).toEqual([
    { path: '/__proto__', kind: 'meta', before: null, after: {}, widens: true },
  ]);
});
