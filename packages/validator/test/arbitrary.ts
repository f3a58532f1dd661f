import fc from 'fast-check';
import { RICH_MANIFEST } from './rich-manifest.ts';

/** Edge cases of the rules. */
const ODD_VALUES: readonly unknown[] = [
  ...[
    undefined,
    null,
    true,
    0,
    -0,
    1,
    1.5,
    -1,
    101,
    1e308,
    '',
    ' ',
    'a',
    'a.b',
    '*',
    '../a',
    'mcp',
    'svc',
    '__proto__',
  ],
  ...[
    'https://x.example',
    'https://x.example/ y',
    'https://x.example:99999',
    'HTTPS://x.example',
    'http://localhost',
  ],
  ...[
    'https://x.example/#a',
    'https://a b',
    'mailto:a@b.c',
    'mailto:a',
    '#FFFFFF\n',
    '#ffffff',
    'a\n/../b',
    '16:09',
    '0:1',
  ],
  ...[
    'n'.repeat(40),
    'n'.repeat(41),
    'n'.repeat(2_000),
    '\u200b',
    [],
    [''],
    ['a'],
    ['a b'],
    [null],
    {},
    { a: 'b' },
  ],
  ...[
    'é',
    'A',
    'a_b',
    '1a',
    '*.example.com',
    '2.0',
    '1.0.0-a+b',
    { op: 'resize', width: 1 },
    { entry: 'a/b.html' },
  ],
];

/** Text of any code units, including lone surrogates, which JSON can encode. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength });

const odd = fc.oneof(
  fc.constantFrom(...ODD_VALUES),
  anyText(5),
  fc.json().map((text): unknown => JSON.parse(text)),
);

/** Copies a value; a few parts are replaced by odd values, left out or doubled. */
function mutated(value: unknown): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 200, arbitrary: mutatedInside(value) }, { weight: 1, arbitrary: odd });
}

function mutatedInside(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) {
    return fc
      .tuple(...value.map(mutated))
      .chain((items) => fc.constantFrom(...Array(50).fill(items), [...items, ...items], items.slice(1)));
  }
  if (typeof value !== 'object' || value === null) return fc.constant(value);
  return fc.record(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mutated(item)])));
}

/** Manifests close to a valid one: some valid, most with one or two faults. */
export const nearManifest = mutated(RICH_MANIFEST);

/** Keys with a meaning in JavaScript, and manifest keys in a wrong place. */
const ODD_KEYS = [
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'toJSON',
    'then',
    'length',
    'hasOwnProperty',
    '',
    '0',
    '-0',
  ],
  ...[
    'id',
    'remote',
    'domains',
    'op',
    'files',
    'prepare',
    'accounts',
    'a/b',
    '~0',
    '~1',
    'a.b',
    '\ud800',
    '\u202e',
    ' ',
  ],
];

const hugeTexts = [
  'n'.repeat(100_000),
  'a.'.repeat(50_000),
  `https://${'a.'.repeat(50_000)}`,
  '\u0301'.repeat(50_000),
  '{{count}}'.repeat(10_000),
  '../'.repeat(30_000),
];

/** Nests `depth` lists, or `depth` objects with this key. */
function nested(depth: number, key: string | undefined): unknown {
  let value: unknown = 7;
  for (let level = 0; level < depth; level += 1) {
    value = key === undefined ? [value] : Object.fromEntries([[key, value]]);
  }
  return value;
}

const hostileLeaf = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...ODD_VALUES.filter((value) => value !== undefined)) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '\ud800',
      'a\udc00',
      '\ud83d',
      '\udfff\ud800',
      '\0',
      '\u202ea',
      '\ufeff',
      '\u2028',
    ),
  },
  { weight: 4, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 2, arbitrary: anyText(12) },
  { weight: 1, arbitrary: fc.constantFrom(...hugeTexts) },
);

/** Any JSON value, with keys and texts that often break programs; sometimes nested up to 100,000 levels deep. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6, depthSize: 'small', withCrossShrink: true },
        hostileLeaf,
        tie('list'),
        tie('fields'),
      ),
      list: fc.array(tie('value'), { maxLength: 6 }),
      fields: fc
        .array(fc.tuple(fc.oneof(fc.constantFrom(...ODD_KEYS), fc.string()), tie('value')), { maxLength: 6 })
        // Assignment would set the prototype for `__proto__`; this makes it an own key, as `JSON.parse` does.
        .map((pairs): unknown => Object.fromEntries(pairs)),
    })).value,
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(63, 64, 65, 2_000, 100_000), fc.constantFrom(undefined, 'a', '__proto__'))
      .map(([depth, key]) => nested(depth, key)),
  },
);

/** The path to every part of a value, as a list of keys. */
function* placesIn(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) yield* placesIn(item, [...path, key]);
}

function withAt(value: unknown, [key, ...rest]: readonly string[], part: unknown): unknown {
  if (key === undefined) return part;
  if (Array.isArray(value)) return value.with(Number(key), withAt(value[Number(key)], rest, part));
  const fields = value as Record<string, unknown>;
  return { ...fields, [key]: withAt(fields[key], rest, part) };
}

/** The rich manifest with a hostile value in one place of it. */
export const withHostilePart = fc
  .tuple(fc.constantFrom(...placesIn(RICH_MANIFEST)), hostileJson)
  .map(([path, part]) => withAt(RICH_MANIFEST, path, part));

/** Every variant of the rich manifest with one part replaced by an odd value. */
export function* oneFaultManifests(value: unknown = RICH_MANIFEST): Generator<unknown> {
  yield* ODD_VALUES;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    for (const other of oneFaultManifests(item)) {
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
    }
  }
}
