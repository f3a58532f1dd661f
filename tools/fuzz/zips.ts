import { packBundle, readBundle } from '@svc/bundle';
import { LIMITS } from '@svc/contracts';
import { buildZip, bytesOf, extraField, sampleFiles, type ZipEntrySpec, type ZipSpec } from '@svc/testkit';
import { validateBundle } from '@svc/validator';
import fc from 'fast-check';
import { anyText } from '../../packages/validator/test/arbitrary.ts';
import { edited } from './edits.ts';
import { type Part, promise, promiseSoundIssues } from './promise.ts';

/** Zip records (APPNOTE 4.3): their signatures, and their fields as offset and size. */
const RECORDS: readonly { mark: number; fields: readonly (readonly [number, 2 | 4])[] }[] = [
  {
    mark: 0x04034b50,
    fields: [
      [4, 2],
      [6, 2],
      [8, 2],
      [14, 4],
      [18, 4],
      [22, 4],
      [26, 2],
      [28, 2],
    ],
  },
  {
    mark: 0x02014b50,
    fields: [
      [4, 2],
      [6, 2],
      [8, 2],
      [10, 2],
      [16, 4],
      [20, 4],
      [24, 4],
      [28, 2],
      [30, 2],
      [32, 2],
      [34, 2],
      [38, 4],
      [42, 4],
    ],
  },
  {
    mark: 0x08074b50,
    fields: [
      [4, 4],
      [8, 4],
      [12, 4],
    ],
  },
  {
    mark: 0x06054b50,
    fields: [
      [4, 2],
      [6, 2],
      [8, 2],
      [10, 2],
      [12, 4],
      [16, 4],
      [20, 2],
    ],
  },
];

const WORDS = [0, 1, 8, 9, 0x2f, 0x7fff, 0x800, 0x808, 0xffff, 0x10000, 0x7fffffff, 0xffffffff, 0xa1ff0000];
const MARKS = ['PK\x01\x02', 'PK\x03\x04', 'PK\x05\x06', 'PK\x06\x06', 'PK\x06\x07', 'PK\x07\x08'];

const name = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-d]{1,3}(\/[a-d]{1,2}){0,2}\/?$/) },
  fc.constantFrom(
    'plugin.json',
    'Plugin.json',
    '../a',
    '/a',
    'a\\b',
    'C:a',
    '',
    '.',
    'a//b',
    'é',
    'e\u0301',
    'a\0b',
  ),
  anyText(6),
);
const content = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.constantFrom(...MARKS, '', 'a'.repeat(5_000)),
  fc.uint8Array({ maxLength: 60 }),
);
const extra = fc
  .array(
    fc.tuple(
      fc.constantFrom(1, 0x0d, 0x17, 0x5455, 0x7075, 0x9901, 0xcafe),
      fc.uint8Array({ maxLength: 24 }),
    ),
    {
      maxLength: 2,
    },
  )
  .map((fields) => bytesOf(...fields.map(([id, data]) => extraField(id, data))));

const word = fc.oneof(fc.constantFrom(...WORDS), fc.nat(400));
const fields = fc.record(
  { flags: word, method: word, crc: word, compressedSize: word, size: word },
  { requiredKeys: [] },
);

/** The arbitrary in one of twelve cases, else undefined. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 11, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Removes undefined fields, so that the writer fills in the true values. */
const compact = <T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as never;

const entry: fc.Arbitrary<ZipEntrySpec> = fc
  .record({
    name,
    content,
    method: fc.constantFrom(0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 12),
    descriptor: fc.constantFrom(undefined, undefined, undefined, 'signed' as const, 'unsigned' as const),
    extra: rarely(extra),
    externalAttributes: rarely(word),
    local: rarely(fields),
    central: rarely(fields),
    hidden: rarely(fc.constant(true)),
    before: rarely(fc.uint8Array({ maxLength: 4 })),
    after: rarely(fc.uint8Array({ maxLength: 4 })),
  })
  // A folder with content is refused early; most cases should get further.
  .map((spec) => compact({ ...spec, content: spec.name.endsWith('/') ? '' : spec.content }) as ZipEntrySpec);

const built = fc
  .record({
    entries: fc.array(entry, { maxLength: 5 }),
    prefix: rarely(fc.uint8Array({ maxLength: 4 })),
    suffix: rarely(fc.uint8Array({ maxLength: 4 })),
    end: rarely(
      fc.record({ count: word, countOnDisk: word, size: word, offset: word }, { requiredKeys: [] }),
    ),
  })
  .map((spec) => buildZip(compact(spec) as ZipSpec));

/** Zips with record fields set to interesting values. */
const corrupted = fc
  .tuple(
    fc.oneof(built, fc.constant(packBundle(sampleFiles()))),
    fc.array(fc.tuple(fc.nat(100), fc.nat(20), word), { minLength: 1, maxLength: 2 }),
  )
  .map(([zip, changes]) => changes.reduce(corruptField, zip));

function corruptField(zip: Uint8Array, [nth, field, value]: [number, number, number]): Uint8Array {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
  const places = RECORDS.flatMap((record) => marksIn(view, record.mark).map((at) => ({ at, record })));
  const chosen = places[nth % Math.max(places.length, 1)];
  const [offset, size] = chosen?.record.fields[field % chosen.record.fields.length] ?? [0, 4];
  const at = (chosen?.at ?? 0) + offset;
  if (!chosen || at + size > zip.length) return zip;
  const changed = zip.slice();
  const target = new DataView(changed.buffer);
  if (size === 2) target.setUint16(at, value & 0xffff, true);
  else target.setUint32(at, value, true);
  return changed;
}

function marksIn(view: DataView, mark: number): number[] {
  const places: number[] = [];
  for (let at = 0; at + 4 <= view.byteLength; at++) if (view.getUint32(at, true) === mark) places.push(at);
  return places;
}

const validZips = [
  packBundle(sampleFiles()),
  buildZip({
    entries: [
      { name: 'plugin.json', content: '{}' },
      { name: 'a/', externalAttributes: 0x10 },
    ],
  }),
  buildZip({
    entries: [
      { name: 'plugin.json', content: '{"id":1}'.repeat(9), method: 8, descriptor: 'signed' },
      {
        name: 'ui/a.js',
        content: 'x',
        descriptor: 'signed',
        extra: extraField(0x5455, bytesOf([1, 2, 3, 4, 5])),
      },
    ],
  }),
];

/** Zips: an accepted zip is within the limits, and packing and reading it again gives the same files. */
export const zips: Part<Uint8Array> = {
  name: 'zip',
  inputs: fc.oneof(built, corrupted, edited(validZips, MARKS, 4)),
  check: (bytes) => {
    const before = bytes.slice();
    const reading = readBundle(bytes);
    promise(Buffer.compare(bytes, before) === 0, 'reading changed the input');
    if (!reading.ok) {
      promiseSoundIssues(reading.issues);
      return;
    }
    const { entries } = reading;
    const total = [...entries.values()].reduce((sum, file) => sum + file.length, 0);
    promise(
      entries.size <= LIMITS.bundle.entries && total <= LIMITS.bundle.inflatedBytes,
      'the limits are exceeded',
    );
    for (const path of entries.keys()) {
      promise(!/^\/|\\|(?:^|\/)\.{0,2}(?:\/|$)|\0/.test(path), `${JSON.stringify(path)} is not a safe path`);
    }
    promiseSameFiles(entries, readBundle(packBundle(entries)));
    promiseSoundIssues(validateBundle(entries, { mode: 'store', size: bytes.length }).issues);
  },
  toFile: (bytes) => bytes,
};

function promiseSameFiles(
  entries: ReadonlyMap<string, Uint8Array>,
  again: ReturnType<typeof readBundle>,
): void {
  promise(again.ok, 'the files cannot be packed and read again');
  promise(again.entries.size === entries.size, 'packing changes the files');
  for (const [path, bytes] of entries) {
    const same = Buffer.compare(again.entries.get(path) ?? new Uint8Array(1), bytes) === 0;
    promise(same, `packing changes ${JSON.stringify(path)}`);
  }
}
