import { parseManifest } from '@svc/validator';
import { expect, it } from 'vitest';
import { readSource } from '../../src/manifest-file/source.ts';

const place = (text: string | Uint8Array, path: string, code = 'x') => {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  return readSource(bytes).placeOf({ code, path });
};

/** The position of the JSON error in a text. */
const faultPlace = (text: string | Uint8Array) => {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const reading = parseManifest(bytes);
  const [issue] = reading.ok ? [] : reading.issues;
  return issue && readSource(bytes).placeOf(issue);
};

it('locates values, and the object of a missing value', () => {
  const text = '{\r\n  "a": { "b": [1, 22] }\r\n}';
  expect(place(text, '/a/b/1')).toEqual({ line: 2, column: 19, length: 2 });
  expect(place(text, '/a/c')).toEqual({ line: 2, column: 8, length: 1 });
  expect(place(text, '')).toMatchObject({ line: 1, column: 1 });
  expect(readSource(Buffer.from(text)).lines).toEqual(['{', '  "a": { "b": [1, 22] }', '}']);
});

it('has no location for findings outside the manifest', () => {
  expect(place('{}', 'ui/index.html')).toBeUndefined();
  expect(place('{}', '', 'bundle.size')).toBeUndefined();
  expect(place('{}', 'plugin.json', 'level.api')).toBeUndefined();
});

it.each([
  { what: 'a comma too many', text: '{\n  "a": 1,\n}', line: 3, column: 1 },
  { what: 'a key twice', text: '{ "a": 1, "a": 2 }', line: 1, column: 11 },
  { what: 'the end', text: '{ "a"', line: 1, column: 6 },
  { what: 'a byte order mark', text: '\ufeff{}', line: 1, column: 1 },
  { what: 'no UTF-8', text: new Uint8Array([0x7b, 0x0a, 0x20, 0xff]), line: 2, column: 2 },
])('locates the JSON error: $what', ({ text, line, column }) => {
  expect(faultPlace(text)).toEqual({ line, column });
});

it('limits lookups in a huge manifest', () => {
  const source = readSource(Buffer.from(`{ "a": "${'x'.repeat(1_000_000)}" }`));
  const places = Array.from({ length: 1_000 }, () => source.placeOf({ code: 'x', path: '/a' }));
  expect(places[0]).toMatchObject({ line: 1, column: 8 });
  expect(places.at(-1)).toBeUndefined();
});
