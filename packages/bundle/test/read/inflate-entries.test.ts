import zlib from 'node:zlib';
import { buildZip, bytesOf } from '@svc/testkit';
import { describe, expect, test } from 'vitest';
import { readBundle } from '../../src/index.ts';
import { expectFiles, expectRefused, zipWith } from '../support/reading.ts';

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
