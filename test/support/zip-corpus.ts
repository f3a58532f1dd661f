import { readBundle } from '@svc/bundle';
import { buildZip, bytesOf, extraField, type ZipEntrySpec } from '@svc/testkit';
import fc from 'fast-check';
import { type Accepted, sha256 } from '../../tools/compare/other-readers.ts';
import { zips } from '../../tools/fuzz/zips.ts';

/** Valid names that some readers or systems treat differently. */
const NAMES = [
  ...[
    'a;1',
    'a.txt;12',
    'a;',
    'a;1/b',
    'a;b',
    ';',
    ';1',
    'a;1;x',
    'a b',
    'a:b',
    'a|b',
    'aux',
    'nul.txt',
    '~',
    '~/a',
    '$x',
    '*',
    '?',
    '[a]',
    '%41',
    '#U0041',
    '-rf',
  ],
  ...[
    '@x',
    "a'b",
    'a"b',
    '`a`',
    '._a',
    '__MACOSX/._a',
    '__MACOSX/ui/._a',
    '.hidden',
    '日本',
    'é',
    '😀',
    '\u202e',
    '\u200d',
  ],
  ...[
    '\u2028',
    '\u00a0',
    '\u00ad',
    'a\u0301b\u0301',
    '.a',
    '...a',
    'a=b',
    'type=link',
    '#a',
    'a#b',
    '\u{e000}',
    '\u{10ffff}',
  ],
  ...[
    'x'.repeat(250),
    `${'y/'.repeat(60)}z`,
    'META-INF/MANIFEST.MF',
    'mimetype',
    'a\u007fb',
    '+a',
    '&a',
    '<a>',
    '^',
    '{a}',
    '!',
    '\u0130',
  ],
];

const TIMES = bytesOf([0, 0, 0, 0, 1, 0, 24, 0], new Uint8Array(24));
const OWNER = bytesOf([1, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0]);

/** Extra fields of local and central headers that our reader allows, and the one that only libarchive reads as a link. */
const EXTRAS: { local?: Uint8Array; central?: Uint8Array }[] = [
  {
    local: extraField(0x5455, bytesOf([3], new Uint8Array(8))),
    central: extraField(0x5455, bytesOf([3, 0, 0, 0, 0])),
  },
  { local: extraField(0x7875, OWNER), central: extraField(0x7875, OWNER) },
  { local: extraField(0x5855, new Uint8Array(12)), central: extraField(0x5855, new Uint8Array(8)) },
  { local: extraField(0x7855, new Uint8Array(4)), central: extraField(0x7855, new Uint8Array(0)) },
  { local: extraField(0x000a, TIMES), central: extraField(0x000a, TIMES) },
  { local: bytesOf(extraField(0x5455, new Uint8Array([0])), extraField(0x7875, OWNER)) },
  ...[0x001f, 0x000f].map((bits) => ({ local: libarchiveMode(bits) })),
];

/** libarchive's own extra field: a bitmap of the following fields, then "version made by", internal and external attributes. */
function libarchiveMode(bits: number): Uint8Array {
  return extraField(0x6c78, bytesOf([bits, 20, 3, 0, 0, 0, 0, 0xff, 0xa1, 0, 0]));
}

const MANIFEST: ZipEntrySpec = { name: 'plugin.json', content: '{}' };
const PAGE = { content: '<p>hello</p>'.repeat(20), method: 8 };
const zip = (...entries: ZipEntrySpec[]) => buildZip({ entries: [MANIFEST, ...entries] });

/** Zips that each differ from a plain one in one way; our reader may accept or refuse them. */
function* variants(): Generator<[string, Uint8Array]> {
  for (const name of NAMES) yield [`named ${JSON.stringify(name)}`, zip({ ...PAGE, name })];
  for (const [index, { local, central }] of EXTRAS.entries()) {
    for (const descriptor of [undefined, 'signed', 'unsigned'] as const) {
      const extras = {
        ...(local && { local: { extra: local } }),
        ...(central && { central: { extra: central } }),
      };
      yield [
        `extra ${index}, ${descriptor}`,
        zip({ ...PAGE, ...extras, name: 'a', ...(descriptor && { descriptor }) }),
      ];
    }
  }
  for (let system = 0; system <= 31; system += 1) {
    for (const externalAttributes of [0, 0x20, 0x81a4_0000, 0x81ff_0000, 0x0fff_0000]) {
      const central = { versionMadeBy: (system << 8) | 20, externalAttributes };
      yield [
        `made by ${system}, ${externalAttributes.toString(16)}`,
        zip({ ...PAGE, name: 'A.TXT', central }),
      ];
      yield [`made by ${system}, stored`, zip({ content: 'x\r\n', name: 'ui/a.txt', central })];
    }
  }
  for (const internalAttributes of [1, 2, 0xffff])
    yield ['internal', zip({ ...PAGE, name: 'a', central: { internalAttributes } })];
  for (const both of [
    { time: 0xffff, date: 0xffff },
    { time: 0, date: 0 },
    { versionNeeded: 0 },
    { versionNeeded: 0x0a14 },
    { flags: 0x0806 },
  ]) {
    yield [JSON.stringify(both), zip({ ...PAGE, name: 'a', local: both, central: both })];
  }
  yield [
    'comment of an entry',
    zip({ ...PAGE, name: 'a', central: { comment: bytesOf('PK\x01\x02 and PK\x05\x06') } }),
  ];
  yield [
    'folders',
    zip({ name: 'ui/', externalAttributes: 0x41ed_0010 }, { name: 'ui/b/' }, { ...PAGE, name: 'ui/c' }),
  ];
  yield ['records inside', zip({ name: 'in.zip', content: zip({ name: 'evil', content: 'x' }) })];
  yield [
    'an empty file, deflated',
    zip({ name: 'empty', method: 8 }, { name: 'none', method: 8, descriptor: 'signed' }),
  ];
}

/** Variants with up to three changed bytes, reproducible by seed. */
function mutants(bases: readonly Uint8Array[], count: number, seed: number): Uint8Array[] {
  const change = fc.record({ at: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) });
  const changes = fc.array(change, { minLength: 1, maxLength: 3 });
  return fc
    .sample(fc.tuple(fc.constantFrom(...bases), changes), { numRuns: count, seed })
    .map(([base, edits]) => {
      const bytes = base.slice();
      for (const { at, bits } of edits) bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ bits;
      return bytes;
    });
}

/** The files that our reader finds in a zip; none when it refuses the zip. */
export function accepted(name: string, bytes: Uint8Array): Accepted[] {
  const reading = readBundle(bytes);
  if (!reading.ok) return [];
  return [
    { name, bytes, files: new Map([...reading.entries].map(([path, content]) => [path, sha256(content)])) },
  ];
}

type Corpus = { tries: number; seed: number; every?: number };

/**
 * The zips that our reader accepts: of the variants, of `tries` mutants, and of as many zips from the fuzz generator.
 * @param every takes every n-th variant; all by default
 */
export function generatedCorpus({ tries, seed, every = 1 }: Corpus): Accepted[] {
  const bases = [...variants()].filter((_, index) => index % every === 0);
  const changed = mutants(
    bases.map(([, bytes]) => bytes),
    tries,
    seed,
  );
  const named = changed.map((bytes, index): [string, Uint8Array] => [
    `mutant ${index} of seed ${seed}`,
    bytes,
  ]);
  const fuzzed = fc.sample(zips.inputs, { numRuns: tries, seed });
  named.push(
    ...fuzzed.map((bytes, index): [string, Uint8Array] => [`fuzzed ${index} of seed ${seed}`, bytes]),
  );
  return [...bases, ...named].flatMap(([name, bytes]) => accepted(name, bytes));
}
