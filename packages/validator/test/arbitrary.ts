import fc from 'fast-check';
import { EXAMPLE_MANIFEST } from '../src/example.ts';

/** A manifest that uses every field of the format, without a fault in store mode. */
export const RICH_MANIFEST = {
  ...EXAMPLE_MANIFEST,
  $schema: 'https://store.example.com/schemas/app-manifest-v3.json',
  author: 'Ada',
  homepage: 'https://example.com/#notes',
  support: 'mailto:help@example.com',
  platforms: ['darwin', 'linux'],
  arch: ['x64'],
  grants: ['files:receive', 'host:media'],
  categories: ['productivity', 'data'],
  branding: {
    icon: 'assets/icon.svg',
    mark: 'assets/mark.svg',
    accent: '#1A7f5c',
    screenshots: ['assets/1.png', 'assets/2.webp'],
  },
  accounts: [
    { id: 'notes', label: 'Notes', auth: 'mcp', scopes: [], required: true, params: { prompt: 'consent' } },
    {
      id: 'archive',
      label: 'Archive',
      authorizeUrl: 'https://login.example.com/authorize',
      tokenUrl: 'https://login.example.com/token',
      revokeUrl: 'https://login.example.com/revoke',
      clientId: 'notes-app',
      scopes: ['read', 'https://example.com/write'],
    },
  ],
  requires: {
    providers: ['codex'],
    apps: [{ id: 'media', reason: 'Plays.' }],
    connectors: [{ url: 'https://charts.example.com/mcp', reason: 'Draws.', required: true }],
    optional: [
      { id: 'com.example.charts', reason: 'Draws.' },
      { url: 'https://maps.example.com/mcp', reason: 'Maps.' },
    ],
  },
  contributes: {
    tools: [
      {
        id: 'find',
        name: 'Find',
        description: 'Finds notes.',
        account: 'notes',
        confirm: { title: 'Send {{count}} files?', body: '**All** of them.', action: 'Send' },
        files: {
          image: {
            accept: ['image/*', 'application/vnd.ms-excel'],
            multiple: true,
            maxBytes: 1,
            prepare: { op: 'crop', width: 10, height: 10, x: 0, y: 16_384, fit: 'cover', gravity: 'north' },
          },
          sound: { prepare: { op: 'trim', start: 0.5, end: 600 } },
          other: { prepare: { op: 'compress', quality: 99.5, targetKb: 10, format: 'avif', aspect: '16:9' } },
        },
      },
    ],
    panels: [
      {
        id: 'main',
        title: 'Main',
        component: 'webview',
        icon: 'branding',
        config: { entry: 'ui/index.html' },
        views: [{ id: 'a', label: 'A' }],
      },
    ],
    settings: [{ id: 'theme', label: 'Theme', type: 'select', options: ['dark'] }],
  },
} as const;

/** Values that sit on the edges of what the rules look at. */
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

/** Text of any code units, halves of surrogate pairs among them, which JSON can spell. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength });

const odd = fc.oneof(
  fc.constantFrom(...ODD_VALUES),
  anyText(5),
  fc.json().map((text): unknown => JSON.parse(text)),
);

/** Copies a value with some parts replaced by odd ones, left out or doubled. Mostly it leaves things as they are. */
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

/** Manifests near to a good one: some good, most with a fault or two. */
export const nearManifest = mutated(RICH_MANIFEST);

/** Keys that mean something to JavaScript, or to a manifest where they do not belong. */
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

/** So many lists, or objects, one inside the other. */
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

/** Any JSON value, with keys and texts that programs stumble over; at times nested as deep as only JSON can be. */
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
        // Not by assignment, to which `__proto__` is something else; `JSON.parse` makes a key of it as well.
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

/** Every place of a value, as the keys down to it. */
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

/** Every value that comes of the rich manifest by putting an odd value in one place of it. */
export function* oneFaultManifests(value: unknown = RICH_MANIFEST): Generator<unknown> {
  yield* ODD_VALUES;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    for (const other of oneFaultManifests(item)) {
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
    }
  }
}

/** Ways in which people write a value that is right but for its form, and some that only look like it. */
const CLUMSY: readonly ((text: string) => unknown)[] = [
  (text) => text.toUpperCase(),
  (text) => ` ${text}\n`,
  (text) => `${text}.`,
  (text) => `${text}/`,
  (text) => `https://${text}/`,
  (text) => `https://github.com/${text}.git`,
  (text) => `${text}:443`,
  (text) => `v${text}`,
  (text) => text.replace(/^https:\/\/|^mailto:/, ''),
  (text) => text.replace(/-|_/g, ' '),
  (text) => text.slice(0, -1),
  (text) => `${text}${text.slice(-1)}`,
  (text) => `./${text}`,
  (text) => [text],
  () => 'macOS',
  () => 'x86_64',
  () => 'jpg',
  () => 'claude',
  () => 'always',
];

/** True this many times in a hundred; drawn by weight, since fast-check prefers the edges of a range of numbers. */
function seldom(times: number): fc.Arbitrary<boolean> {
  return fc.oneof(
    { weight: times, arbitrary: fc.constant(true) },
    { weight: 100 - times, arbitrary: fc.constant(false) },
  );
}

/** Copies a value, writing some of it clumsily: texts in another form, numbers in quotes, lists doubled or unwrapped. */
function clumsy(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value === 'string') {
    return fc
      .tuple(seldom(6), fc.constantFrom(...CLUMSY))
      .map(([is, change]) => (is ? change(value) : value));
  }
  if (typeof value === 'number' || typeof value === 'boolean') {
    return seldom(10).map((is) => (is ? String(value) : value));
  }
  if (Array.isArray(value)) {
    return fc.tuple(seldom(5), seldom(5), ...value.map(clumsy)).map(([isTwice, isText, ...items]) => {
      if (isTwice) return [...items, ...items];
      return isText && items.every((item) => typeof item === 'string') ? items.join(' ') : items;
    });
  }
  if (typeof value !== 'object' || value === null) return fc.constant(value);
  return clumsyFields(value);
}

/** Copies an object, leaving a field out now and then, or giving it nearly its name. */
function clumsyFields(fields: object): fc.Arbitrary<unknown> {
  const parts = Object.entries(fields).map(([key, item]) => [key, clumsy(item)] as const);
  const made = fc.record(Object.fromEntries(parts));
  return fc
    .tuple(seldom(4), seldom(4), made, fc.constantFrom(...Object.keys(fields)))
    .map(([isGone, isRenamed, object, key]) => {
      if (isGone) return { ...object, [key]: undefined };
      return isRenamed ? { ...object, [key]: undefined, [`${key}s`]: object[key] } : object;
    });
}

/** Manifests whose faults mostly have one right answer. */
export const clumsyManifest = clumsy({
  ...RICH_MANIFEST,
  activation: 'manual',
  requires: {
    ...RICH_MANIFEST.requires,
    apps: [...RICH_MANIFEST.requires.apps, { github: 'example/charts', reason: 'Draws.' }],
  },
});
