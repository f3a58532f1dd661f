import { LIMITS } from '@svc/contracts';
import { buildZip, bytesOf } from '@svc/testkit';
import { describe, test } from 'vitest';
import { packBundle } from '../../src/index.ts';
import { expectFiles, expectRefused, MANIFEST, zipBut } from '../support/reading.ts';

const LOCATOR = bytesOf('PK\x06\x07', new Uint8Array(16));

describe('the end record', () => {
  test('is accepted at the very end', () => {
    expectFiles(zipBut({}), { 'plugin.json': '{"id":"tester"}', 'README.md': '# Tester' });
  });

  test.each([
    ['an empty file', new Uint8Array(0), /is not a zip: choose the \.svc-app file/],
    ['a file that is too short', bytesOf('PK\x05\x06'), /not a complete zip/],
    ['a zip that is cut off', zipBut({}).subarray(0, 60), /not a complete zip/],
    ['a file with the first letter of a zip', bytesOf('PDF'), /is not a zip: choose/],
    ['a file with the second letter of a zip', bytesOf('OK'), /is not a zip: choose/],
    ['another kind of file', bytesOf('%PDF-1.7 and then some more text'), /is not a zip: choose/],
  ])('is missing from %s', (_, bytes, why) => {
    expectRefused(bytes, '', why);
  });

  test('may have no comment', () => {
    expectRefused(zipBut({ end: { comment: bytesOf('hello') } }), '', /comment after its end.*git archive/);
    expectRefused(zipBut({ end: { comment: new Uint8Array(0xffff) } }), '', /comment after its end/);
  });

  test('may not declare a comment that is missing', () => {
    expectRefused(zipBut({ end: { commentLength: 4 } }), '', /cut off inside its comment/);
  });

  test('may have nothing after it', () => {
    expectRefused(zipBut({ suffix: bytesOf('\0') }), '', /bytes after its end/);
    // bsdtar fills the last block of what it writes to a pipe.
    expectRefused(zipBut({ suffix: new Uint8Array(10_240) }), '', /bytes after its end/);
  });

  test('may not be followed by another archive', () => {
    const second = buildZip({ entries: [{ name: 'evil.js', content: 'x' }] });
    expectRefused(bytesOf(zipBut({}), second), '', /not where the end record says/);
  });

  test('may not be hidden in the comment of another one', () => {
    const inner = zipBut({});
    expectRefused(zipBut({ end: { comment: inner } }), '', /not where the end record says/);
  });

  test('may not follow a zip64 locator', () => {
    expectRefused(zipBut({ afterDirectory: LOCATOR }), '', /zip64/);
  });

  test('may not follow a zip64 locator that begins the file', () => {
    expectRefused(bytesOf(LOCATOR, buildZip({ entries: [] })), '', /zip64/);
  });

  test('may not follow a zip64 locator in the comment of the last entry', () => {
    const entry = { ...MANIFEST, central: { comment: LOCATOR } };
    expectRefused(buildZip({ entries: [entry] }), '', /zip64/);
  });

  test.each([
    { disk: 0xffff },
    { directoryDisk: 0xffff },
    { countOnDisk: 0xffff },
    { count: 0xffff },
    { size: 0xffffffff },
    { offset: 0xffffffff },
  ])('may not point to zip64 by %o', (end) => {
    expectRefused(zipBut({ end }), '', /zip64/);
  });

  test.each([{ disk: 1 }, { directoryDisk: 1 }, { countOnDisk: 1 }])(
    'must be of a single disk: %o',
    (end) => {
      expectRefused(zipBut({ end }), '', /split archive/);
    },
  );

  test('may not end an empty archive', () => {
    expectRefused(buildZip({ entries: [] }), '', /empty/);
  });

  test('may not declare too many entries', () => {
    const count = LIMITS.bundle.entries + 1;
    expectRefused(zipBut({ end: { count, countOnDisk: count } }), '', /reduce them to 2000/);
    const files = Array.from({ length: LIMITS.bundle.entries }, (_, index) => [`${index + 10_000}`, '']);
    const zip = packBundle(new Map(files.map(([name = '']) => [name, new Uint8Array(0)])), { stored: true });
    expectFiles(zip, Object.fromEntries(files));
  });

  test.each([{ offset: 0 }, { size: 46 }, { offset: 0xfffffffe }])(
    'must point to the directory: %o',
    (end) => {
      expectRefused(zipBut({ end }), '', /not where the end record says/);
    },
  );

  test('may not be separated from the directory', () => {
    expectRefused(zipBut({ afterDirectory: bytesOf('gap') }), '', /not where the end record says/);
  });

  test('may not be preceded by bytes before the archive', () => {
    expectRefused(zipBut({ prefix: bytesOf('#!/bin/sh\n') }), '', /not where the end record says/);
  });
});
