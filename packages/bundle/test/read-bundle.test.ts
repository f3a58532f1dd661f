import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { buildZip, bytesOf, interopFolder, runs } from '@svc/testkit';
import fc from 'fast-check';
import { Zip, ZipDeflate, ZipPassThrough, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { directoryBytes, openBundle, packBundle, readBundle } from '../src/index.ts';
import { vectors } from './support/interop-vectors.ts';
import { expectFiles, expectRefused, MANIFEST, zipWith } from './support/reading.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const text = (value: string) => new TextEncoder().encode(value);
const has = (tool: string, flag: string) => spawnSync(tool, [flag]).status === 0;
const hasPython = has('python3', '--version');

const TINY = zipWith(
  { name: 'ui/', externalAttributes: 0x10 },
  { name: 'ui/a.js', content: 'x', descriptor: 'signed' },
);

describe('readBundle never throws', () => {
  test('on a zip cut at any byte, and refuses each', () => {
    expect(readBundle(TINY).ok).toBe(true);
    for (let length = 0; length < TINY.length; length++) {
      expect(readBundle(TINY.slice(0, length)).ok, `cut at ${length}`).toBe(false);
    }
  });

  test('on a zip with any byte changed', () => {
    for (let at = 0; at < TINY.length; at++) {
      for (const value of [0, 1, 0x7f, 0x80, 0xff]) readBundle(TINY.with(at, value));
    }
  });

  test('on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(readBundle(bytes).ok).toBe(false);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('on any fields before a valid end record', () => {
    const word = fc.oneof(fc.nat(300), fc.integer({ min: 0, max: 0xffffffff }));
    fc.assert(
      fc.property(
        fc.record({ offset: word, compressedSize: word, size: word, nameLength: word }),
        (central) => {
          const local = { compressedSize: central.compressedSize, size: central.size };
          readBundle(
            zipWith(
              { name: 'a', method: 8, central, local },
              { name: 'b', central: { offset: central.size } },
            ),
          );
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  test('on bytes in the middle of a buffer', () => {
    const room = new Uint8Array(TINY.length + 20).fill(0x50);
    room.set(TINY, 10);
    expect(readBundle(room.subarray(10, -10)).ok).toBe(true);
    expect(readBundle(Buffer.from(TINY)).ok).toBe(true);
  });
});

/** The result of Python's `zipfile` for each zip: its files with their sha256, or the error. */
function askPython(zips: Uint8Array[]): (Record<string, string> | string)[] {
  const script = `
import base64, hashlib, io, json, sys, zipfile
def read(line):
    try:
        with zipfile.ZipFile(io.BytesIO(base64.b64decode(line))) as z:
            return {i.filename: hashlib.sha256(z.read(i)).hexdigest() for i in z.infolist() if not i.is_dir()}
    except Exception as e:
        return repr(e)
print(json.dumps([read(line) for line in sys.stdin]))`;
  const input = zips.map((zip) => `${Buffer.from(zip).toString('base64')}\n`).join('');
  const stdout = execFileSync('python3', ['-c', script], { input, maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout.toString());
}

describe('readBundle agrees with Python', () => {
  const seeds = [
    TINY,
    zipWith({ name: 'README.md', content: 'some text '.repeat(9), method: 8, descriptor: 'unsigned' }),
    packBundle(
      new Map([
        ['plugin.json', text('{}')],
        ['ui/ü.js', text('x'.repeat(99))],
      ]),
    ),
  ];
  const mutation = fc.record({ at: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) });
  const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });

  test('on every mutated zip that it accepts', (context) => {
    if (!hasPython) context.skip('python3 is not installed');
    const accepted: Uint8Array[] = [];
    fc.assert(
      fc.property(fc.constantFrom(...seeds), mutations, (seed, changes) => {
        const zip = seed.slice();
        for (const { at, bits } of changes) zip[at % zip.length] = (zip[at % zip.length] ?? 0) ^ bits;
        if (readBundle(zip).ok) accepted.push(zip);
      }),
      { numRuns: runs(4000) },
    );
    expect(accepted.length).toBeGreaterThan(50);
    const ours = accepted.map((zip) => {
      const reading = readBundle(zip);
      return (
        reading.ok && Object.fromEntries([...reading.entries].map(([name, bytes]) => [name, sha256(bytes)]))
      );
    });
    expect(askPython(accepted)).toEqual(ours);
  });
});

describe('readBundle accepts the zips of common tools', () => {
  let dir: string;

  beforeAll(() => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'svc-zip-'));
  });

  afterAll(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  const FILES = { 'plugin.json': '{}', 'ui/index.html': '<p>hello</p>'.repeat(30) };

  test('fflate without a stream', () => {
    const files = Object.entries(FILES).map(([name, content]) => [name, text(content)]);
    expectFiles(zipSync(Object.fromEntries(files)), FILES);
  });

  test('fflate as a stream, with data descriptors', () => {
    const chunks: Uint8Array[] = [];
    const zip = new Zip((_, chunk) => chunks.push(chunk));
    for (const [name, content] of Object.entries(FILES)) {
      const file = name.endsWith('.json') ? new ZipPassThrough(name) : new ZipDeflate(name);
      zip.add(file);
      file.push(text(content), true);
    }
    zip.end();
    expectFiles(Uint8Array.from(Buffer.concat(chunks)), FILES);
  });

  test.for([
    ['stored', 'ZIP_STORED', 'open(sys.argv[1], "wb")'],
    ['deflated', 'ZIP_DEFLATED', 'open(sys.argv[1], "wb")'],
    ['stored as a stream', 'ZIP_STORED', 'Stream(open(sys.argv[1], "wb"))'],
    ['deflated as a stream', 'ZIP_DEFLATED', 'Stream(open(sys.argv[1], "wb"))'],
  ] as const)('Python, %s', ([how, method, target], context) => {
    if (!hasPython) context.skip('python3 is not installed');
    const file = path.join(dir, `${how}.zip`);
    const script = `
import json, sys, zipfile
class Stream:
    def __init__(self, f): self.f = f
    def write(self, b): return self.f.write(b)
    def flush(self): self.f.flush()
with zipfile.ZipFile(${target}, "w", zipfile.${method}) as z:
    for name, text in json.loads(sys.argv[2]).items(): z.writestr(name, text)`;
    execFileSync('python3', ['-c', script, file, JSON.stringify(FILES)]);
    expectFiles(Uint8Array.from(readFileSync(file)), FILES);
  });

  test('Info-ZIP, with folders, to a file and to a pipe', (context) => {
    if (!has('zip', '-v')) context.skip('zip is not installed');
    const script = 'mkdir app && cd app && mkdir ui && printf "{}" > plugin.json && printf hello > ui/a.txt';
    execFileSync('sh', ['-c', `${script} && zip -qr ../file.zip . && zip -qr - . > ../pipe.zip`], {
      cwd: dir,
    });
    for (const file of ['file.zip', 'pipe.zip']) {
      const reading = readBundle(readFileSync(path.join(dir, file)));
      const names = reading.ok ? [...reading.entries.keys()].sort() : reading.issues;
      expect(names).toEqual(['plugin.json', 'ui/a.txt']);
    }
  });

  test('tools that write deflated folders, comments on entries, Unix and DOS modes', () => {
    const zip = zipWith(
      { name: 'ui/', method: 8, descriptor: 'signed', externalAttributes: ((0o040755 << 16) | 0x10) >>> 0 },
      { name: 'ui/a.js', content: 'x', externalAttributes: (0o100664 << 16) >>> 0 },
      { name: 'ui/b.js', content: 'y', externalAttributes: 0x20, central: { comment: text('y') } },
    );
    expectFiles(zip, { 'plugin.json': String(MANIFEST.content), 'ui/a.js': 'x', 'ui/b.js': 'y' });
  });
});

describe('the interop vectors', () => {
  test.each(vectors().map((vector) => [vector.file, vector] as const))('%s', (file, vector) => {
    const reading = readBundle(readFileSync(new URL(file, interopFolder('bundle'))));
    expect(reading.ok ? 'accept' : 'refuse').toBe(vector.verdict);
    if (reading.ok) {
      const files = [...reading.entries].map(([name, bytes]) => ({ name, sha256: sha256(bytes) }));
      expect(files).toEqual(vector.files);
    }
  });
});

describe('openBundle', () => {
  test('inflates only the requested file', () => {
    // The checksum of the second file is wrong: `readBundle` refuses the whole zip.
    const zip = zipWith({ name: 'ui/a.js', content: 'broken', central: { crc: 1 }, local: { crc: 1 } });
    expect(readBundle(zip).ok).toBe(false);
    const opening = openBundle(zip);
    if (!opening.ok) throw new Error('It cannot be opened.');
    expect([...opening.sizes]).toEqual([
      ['plugin.json', 15],
      ['ui/a.js', 6],
    ]);
    const manifest = opening.read('plugin.json');
    expect(manifest.ok && new TextDecoder().decode(manifest.entries.get('plugin.json'))).toBe(
      '{"id":"tester"}',
    );
    expect(opening.read('ui/a.js')).toMatchObject({ ok: false, issues: [{ path: 'ui/a.js' }] });
    expect(opening.read('constructor')).toMatchObject({ ok: false, issues: [{ path: 'constructor' }] });
  });

  test('refuses an invalid structure with the same messages as readBundle', () => {
    const empty = zipSync({});
    const folders = buildZip({ entries: [{ name: 'ui/', externalAttributes: 0x10 }] });
    for (const zip of [text('no zip'), TINY.slice(0, -1), TINY.slice(1), empty, folders]) {
      expect(openBundle(zip)).toEqual(readBundle(zip));
    }
  });

  test('reports the size of the central directory, or 0 without one', () => {
    const list = TINY.length - 22 - (zipWith().length - 22);
    expect(directoryBytes(TINY)).toBeGreaterThan(46 * 3);
    expect(directoryBytes(TINY)).toBeLessThan(list + 46 * 3);
    expect(directoryBytes(text('no zip'))).toBe(0);
  });
});

const deflated = (text: string | Uint8Array) => Uint8Array.from(zlib.deflateRawSync(text));

describe('the content', () => {
  test('may be empty, stored or deflated', () => {
    const zip = buildZip({
      entries: [
        { name: 'a', method: 8 },
        { name: 'b', method: 0 },
        { name: 'c', content: 'x' },
      ],
    });
    expectFiles(zip, { a: '', b: '', c: 'x' });
  });

  test('omits folders, even if their empty content is deflated', () => {
    const zip = buildZip({
      entries: [
        { name: 'ui/', method: 8, descriptor: 'signed', externalAttributes: 0x10 },
        { name: 'ui/a.js', content: 'x' },
      ],
    });
    expectFiles(zip, { 'ui/a.js': 'x' });
    expect(readBundle(zip)).toMatchObject({ packed: new Map([['ui/a.js', text('x')]]) });
  });

  test('must have at least one file', () => {
    expectRefused(buildZip({ entries: [{ name: 'ui/' }] }), '', /only folders/);
  });

  test.each([0, 8])('must match the checksum, method %i', (method) => {
    const lie = { crc: 0xdeadbeef };
    expectRefused(zipWith({ name: 'a', content: 'x', method, local: lie, central: lie }), 'a', /checksum/);
  });

  test.each([
    ['longer by one', 8, /more than its declared size/],
    ['longer than a declared size of 0', 0, /more than its declared size/],
    ['shorter', 10, /less than its declared size/],
  ])('may not be %s', (_, size, message) => {
    const lie = { size };
    const entry = { name: 'a', content: '123456789', method: 8, local: lie, central: lie };
    expectRefused(zipWith(entry), 'a', message);
  });

  test('may not be a bomb that declares a small size', () => {
    const bomb = deflated(new Uint8Array(32 * 1024 * 1024));
    const lie = { size: 100 };
    const entry = { name: 'a', method: 8, packed: bomb, local: lie, central: lie };
    expectRefused(zipWith(entry), 'a', /more than its declared size/);
  });

  test.each([
    ['damaged', Uint8Array.of(0xff, 0xff, 0xff)],
    ['cut off', deflated('some text, some text').slice(0, -2)],
    ['absent', new Uint8Array(0)],
  ])('may not be %s', (_, packed) => {
    expectRefused(zipWith({ name: 'a', content: 'some text, some text', method: 8, packed }), 'a', /damaged/);
  });

  test('may not have hidden bytes after the compressed data', () => {
    for (const hidden of ['\0', 'x', 'PK\x03\x04'] as const) {
      const packed = bytesOf(deflated('abc'), hidden);
      expectRefused(zipWith({ name: 'a', content: 'abc', method: 8, packed }), 'a', /hidden bytes/);
    }
  });

  test('is not opened when it is itself a zip', () => {
    const inner = buildZip({ entries: [{ name: '../evil', content: 'x' }] });
    const reading = readBundle(zipWith({ name: 'assets/inner.zip', content: inner }));
    expect(reading.ok && reading.entries.get('assets/inner.zip')).toEqual(inner);
  });

  test('is a view of the zip when stored, without a copy', () => {
    const stored = { name: 'a', content: 'stored' };
    const deflated = { name: 'b', content: 'deflated'.repeat(20), method: 8 };
    const zip = buildZip({ entries: [stored, deflated] });
    const reading = readBundle(zip);
    const placeOf = (name: string) => reading.ok && reading.entries.get(name)?.buffer === zip.buffer;
    expect([placeOf('a'), placeOf('b')]).toEqual([true, false]);
  });
});
