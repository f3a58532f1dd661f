import { buildZip, bytesOf } from '@svc/testkit';
import { describe, test } from 'vitest';
import { expectRefused, MANIFEST, zipBut, zipWith } from '../support/reading.ts';

describe('a local header', () => {
  test('must repeat the name', () => {
    expectRefused(zipWith({ name: 'a', local: { name: bytesOf('b') } }), 'a', /another name/);
    expectRefused(zipWith({ name: 'a', local: { name: bytesOf('ab') } }), 'a', /another name/);
  });

  test.each([
    ['flags', { flags: 0 }, /another flags/],
    ['method', { method: 0 }, /another compression method/],
    ['checksum', { crc: 1 }, /another checksum/],
    ['no checksum', { crc: 0 }, /another checksum/],
    ['packed size', { compressedSize: 1 }, /another size/],
    ['size', { size: 1 }, /another size/],
    ['no size', { size: 0 }, /another size/],
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

  test('may not be nested', () => {
    const inner = buildZip({ entries: [{ name: 'inner.js', content: 'x', hidden: true }] }).slice(0, -22);
    const outer = { name: 'outer.bin', content: inner };
    const inside = { name: 'inner.js', content: 'x', centralOnly: true, central: { offset: 30 + 9 } };
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
