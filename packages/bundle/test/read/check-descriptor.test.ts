import zlib from 'node:zlib';
import { buildZip, bytesOf, type ZipEntrySpec } from '@svc/testkit';
import { describe, expect, test } from 'vitest';
import { checkDescriptor } from '../../src/read/check-descriptor.ts';
import { expectFiles, expectRefused, zipWith } from '../support/reading.ts';

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
