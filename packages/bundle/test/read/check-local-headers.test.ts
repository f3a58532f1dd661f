import zlib from 'node:zlib';
import { buildZip, bytesOf, type ZipEntrySpec } from '@svc/testkit';
import { describe, expect, test } from 'vitest';
import { checkDescriptor } from '../../src/read/check-local-headers.ts';
import { expectFiles, expectRefused, MANIFEST, zipBut, zipWith } from '../support/reading.ts';

describe('a local header', () => {
  test('must repeat the name', () => {
    expectRefused(zipWith({ name: 'a', local: { name: bytesOf('b') } }), 'a', /another name/);
    expectRefused(zipWith({ name: 'a', local: { name: bytesOf('ab') } }), 'a', /another name/);
    expectRefused(zipWith({ name: 'ab', local: { name: bytesOf('a') } }), 'ab', /another name/);
  });

  test.each([
    ['flags', { flags: 0 }, /another flags/],
    ['method', { method: 0 }, /another compression method/],
    ['checksum', { crc: 1 }, /another checksum/],
    ['no checksum', { crc: 0 }, /another checksum/],
    ['packed size', { compressedSize: 1 }, /another size/],
    ['size', { size: 1 }, /another size/],
    ['no size', { size: 0 }, /another size/],
    ['zip64, as Python writes it for a stream', { size: 0xffff_ffff }, /zip64 in its local header/],
  ])('must repeat the value of the directory: %s', (_, local, message) => {
    expectRefused(zipWith({ name: 'a', content: 'abc', method: 8, local }), 'a', message);
  });

  test('must match the directory even if a data descriptor follows', () => {
    const entry = { name: 'a', content: 'abc', method: 8, descriptor: 'signed' } as const;
    expectRefused(zipWith({ ...entry, local: { crc: 1 } }), 'a', /another checksum/);
    expectRefused(zipWith({ ...entry, local: { size: 4 } }), 'a', /another size/);
  });

  test('must be where the directory points', () => {
    expectRefused(zipWith({ name: 'a', local: { signature: 0x04034b51 } }), 'a', /where no entry begins/);
    expectRefused(zipBut({ end: {} }).with(30, 0x71), 'plugin.json', /another name/);
    expectRefused(
      zipWith({ name: 'a', central: { offset: 0xfffffffe } }),
      'plugin.json',
      /belong to no entry/,
    );
    expectRefused(zipWith({ name: 'a', local: { extraLength: 0xffff } }), 'a', /overlaps/);
  });
});

describe('the local records', () => {
  test('may not be beyond the end of the file, even if the sizes point there', () => {
    const far = 0x10000000;
    const lie = { compressedSize: far - 31 };
    const zip = buildZip({
      entries: [
        { name: 'a', method: 8, packed: new Uint8Array(0), local: lie, central: lie },
        { name: 'b', central: { offset: far } },
        { name: 'c', central: { offset: far * 2 } },
      ],
    });
    expectRefused(zip, 'a', /overlaps/);
  });

  test('may have nothing before them', () => {
    expectRefused(zipBut({ prefix: bytesOf('MZ'), shiftOffsets: true }), '', /before its first entry/);
  });

  test('may have no gap between them', () => {
    expectRefused(zipWith({ name: 'a', before: bytesOf('gap') }), 'plugin.json', /belong to no entry/);
    expectRefused(zipBut({ beforeDirectory: bytesOf('gap') }), 'README.md', /belong to no entry/);
  });

  test('may not contain an entry that the directory lacks', () => {
    const hidden = { name: 'hidden.js', content: 'x', hidden: true };
    expectRefused(buildZip({ entries: [MANIFEST, hidden] }), 'plugin.json', /belong to no entry/);
    expectRefused(buildZip({ entries: [hidden, MANIFEST] }), '', /before its first entry/);
  });

  test('may not be shared by two entries', () => {
    const twice = { ...MANIFEST, name: 'other.js', centralOnly: true, central: { offset: 0 } };
    expectRefused(buildZip({ entries: [MANIFEST, twice] }), 'plugin.json', /where no entry begins/);
  });

  test.each([30, 30 + 9])('may not be nested, %i bytes after the begin of another', (offset) => {
    const inner = buildZip({ entries: [{ name: 'inner.js', content: 'x', hidden: true }] }).slice(0, -22);
    const outer = { name: 'outer.bin', content: inner };
    const inside = { name: 'inner.js', content: 'x', centralOnly: true, central: { offset } };
    expectRefused(buildZip({ entries: [outer, inside] }), 'outer.bin', /overlaps the next/);
  });

  test('may not overlap like those of a zip bomb', () => {
    // Each local header is quoted as a stored block by the file before it, so that all files share one kernel.
    const kernel = { name: 'k', content: 'a'.repeat(1000), method: 8 };
    const kernelRecord = buildZip({ entries: [{ ...kernel, hidden: true }] }).slice(0, -22);
    const length = 31;
    const quoted = bytesOf([0, length, 0, length ^ 0xff, 0xff], kernelRecord);
    const outer = { name: 'o', method: 8, packed: quoted, local: { size: 1031 }, central: { size: 1031 } };
    const zip = buildZip({
      entries: [outer, { ...kernel, centralOnly: true, central: { offset: 31 + 5 } }],
    });
    expectRefused(zip, 'o', /overlaps the next/);
  });
});

const STREAMED: ZipEntrySpec = { name: 'a', content: 'streamed', method: 8, descriptor: 'signed' };

function words(...values: number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return Uint8Array.from(bytes);
}

describe('a data descriptor', () => {
  test.each([
    ['signed', STREAMED],
    ['unsigned', { ...STREAMED, descriptor: 'unsigned' as const }],
    [
      'with the correct values in the local header',
      { ...STREAMED, local: { crc: zlib.crc32('streamed'), size: 8 } },
    ],
    ['after a stored entry', { ...STREAMED, method: 0 }],
    ['after an empty entry', { ...STREAMED, method: 0, content: '' }],
  ])('is accepted: %s', (_, entry) => {
    expectFiles(buildZip({ entries: [entry] }), { a: entry.content as string });
  });

  test('must follow when its flag is set', () => {
    expectRefused(zipWith({ ...STREAMED, descriptor: new Uint8Array(0) }), 'a', /missing/);
  });

  test('may not follow when its flag is not set', () => {
    const zip = zipWith({ name: 'a', content: 'x', after: words(0x08074b50, zlib.crc32('x'), 1, 1) });
    expectRefused(zip, 'a', /belong to no entry/);
  });

  test('may not have sizes of zip64', () => {
    const packed = zlib.deflateRawSync('streamed').length;
    const wide = words(0x08074b50, zlib.crc32('streamed'), packed, 0, 8, 0);
    expectRefused(zipWith({ ...STREAMED, descriptor: wide }), 'a', /belong to no entry/);
  });

  test.each([0, 1, 2])('must repeat value %i of the directory', (index) => {
    const facts = [zlib.crc32('streamed'), zlib.deflateRawSync('streamed').length, 8];
    facts[index] = ((facts[index] ?? 0) ^ 1) >>> 0;
    expectRefused(
      zipWith({ ...STREAMED, descriptor: words(0x08074b50, ...facts) }),
      'a',
      /another checksum or other sizes/,
    );
    expectRefused(
      zipWith({ ...STREAMED, descriptor: words(...facts) }),
      'a',
      /another checksum or other sizes/,
    );
  });

  test('may not be ambiguous between signed and unsigned', () => {
    const header = { crc: 0x08074b50, compressedSize: 2, size: 0, method: 8 };
    const entry = header as Parameters<typeof checkDescriptor>[1];
    const ambiguous = words(header.crc, header.compressedSize, header.size);
    expect(checkDescriptor(ambiguous, entry, words())).toMatch(/ambiguous/);
    expect(checkDescriptor(words(1, 2, 3, 4), entry, words())).toMatch(/ambiguous/);
  });
});

describe('a stored entry with a descriptor', () => {
  const stored = { ...STREAMED, method: 0 };

  test.each(['PK\x03\x04', 'PK\x07\x08', 'PK\x01\x02'])('may not contain the signature %j', (mark) => {
    expectRefused(zipWith({ ...stored, content: `some ${mark} text` }), 'a', /cannot find the end/);
  });

  test('may contain bytes that only resemble a signature', () => {
    const content = 'PK PKPKPK\x05\x06 P';
    expectFiles(buildZip({ entries: [{ ...stored, content }] }), { a: content });
  });

  test('must have a signed descriptor', () => {
    expectRefused(zipWith({ ...stored, descriptor: 'unsigned' }), 'a', /cannot find the end/);
  });

  test('follows the same rules if the local header has its size, since some readers still search for the end', () => {
    const known = { crc: zlib.crc32('PK\x03\x04'), compressedSize: 4, size: 4 };
    expectRefused(zipWith({ ...stored, content: 'PK\x03\x04', local: known }), 'a', /cannot find the end/);
    const unsigned = { ...stored, content: 'x', descriptor: 'unsigned' as const };
    expectRefused(zipWith({ ...unsigned, local: { compressedSize: 1 } }), 'a', /cannot find the end/);
  });

  test('may not contain an entry that only streaming readers find', () => {
    const smuggled = buildZip({ entries: [{ name: 'evil.js', content: 'x', hidden: true }] }).slice(0, -22);
    const content = bytesOf(words(0x08074b50, 0, 0, 0), smuggled);
    const local = { compressedSize: content.length, size: content.length, crc: zlib.crc32(content) };
    expectRefused(zipWith({ ...stored, content }), 'a', /cannot find the end/);
    expectRefused(zipWith({ ...stored, content, local }), 'a', /cannot find the end/);
  });
});
