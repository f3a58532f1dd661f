import { buildZip, bytesOf } from '@svc/testkit';
import { describe, test } from 'vitest';
import { expectFiles, expectRefused, MANIFEST, zipBut, zipWith } from '../support/reading.ts';

describe('the central directory', () => {
  test('is read in its own order, for any order of the local records', () => {
    const [a, b] = [
      { name: 'a', content: '1' },
      { name: 'b', content: '2' },
    ];
    const lengthOfA = 30 + 1 + 1;
    const swapped = buildZip({
      entries: [
        { ...a, hidden: true },
        { ...b, hidden: true },
        { ...b, centralOnly: true, central: { offset: lengthOfA } },
        { ...a, centralOnly: true, central: { offset: 0 } },
      ],
    });
    expectFiles(swapped, { b: '2', a: '1' });
  });

  test('may not have a comment that is not UTF-8, which Java cannot read', () => {
    const comment = Uint8Array.of(0xc3, 0x28);
    expectRefused(
      zipWith({ name: 'a', central: { comment } }),
      'a',
      /comment of the entry is not valid UTF-8/,
    );
  });

  test('may have comments on entries, which are ignored', () => {
    expectFiles(buildZip({ entries: [{ ...MANIFEST, central: { comment: bytesOf('made by hand') } }] }), {
      'plugin.json': '{"id":"tester"}',
    });
  });

  test('must have as many headers as the end record declares', () => {
    expectRefused(
      zipBut({ end: { count: 1, countOnDisk: 1 } }),
      '',
      /more entries than the end record declares/,
    );
    expectRefused(zipBut({ end: { count: 3, countOnDisk: 3 } }), '', /Entry 3 .* damaged/);
  });

  test('may not end within a header', () => {
    const size = 46 + 11 + 46 + 9 + 4;
    expectRefused(
      zipBut({ afterDirectory: bytesOf('PK\x01\x02'), end: { size, count: 3, countOnDisk: 3 } }),
      '',
      /Entry 3 .* damaged/,
    );
  });

  test('may not have any other record', () => {
    const signature = bytesOf('PK\x05\x05', [3, 0], 'abc');
    const size = 46 + 11 + 46 + 9 + signature.length;
    expectRefused(
      zipBut({ afterDirectory: signature, end: { size } }),
      '',
      /more entries than the end record declares/,
    );
  });

  test.each([
    { signature: 0x02014b51 },
    { nameLength: 0xffff },
    { extraLength: 0xffff },
    { commentLength: 0xffff },
  ])('must be valid: %o', (central) => {
    expectRefused(zipWith({ name: 'a', central }), '', /Entry 2 .* damaged/);
  });

  test('must mark names with non-ASCII characters as UTF-8', () => {
    expectRefused(zipWith({ name: 'ui/ü.js', flags: 0 }), 'ui/ü.js', /not marked as UTF-8/);
    expectRefused(zipWith({ name: Uint8Array.of(0x80), flags: 0 }), '\ufffd', /not marked as UTF-8/);
    expectRefused(zipWith({ name: '\x7f', flags: 0 }), '\x7f', /control characters/);
    expectFiles(buildZip({ entries: [{ name: 'ui/ü.js', content: 'x' }] }), { 'ui/ü.js': 'x' });
    expectFiles(buildZip({ entries: [{ name: 'ui/u.js', content: 'x', flags: 0 }] }), { 'ui/u.js': 'x' });
  });

  test.each([
    ['an invalid first byte', [0x61, 0xff]],
    ['an overlong slash', [0x2e, 0x2e, 0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut sequence', [0x61, 0xc3]],
  ])('must have names in UTF-8: %s', (_, name) => {
    const raw = Uint8Array.from(name);
    expectRefused(zipWith({ name: raw }), new TextDecoder().decode(raw), /not valid UTF-8/);
  });
});

const mode = (unix: number) => (unix << 16) >>> 0;

describe('an entry', () => {
  test.each([
    ['a plain file', { externalAttributes: mode(0o100644) }],
    ['an executable file', { externalAttributes: mode(0o100755) }],
    ['a file without a mode', { externalAttributes: 0 }],
    ['a read-only file from Windows', { externalAttributes: 0x21 }],
    ['zip version 1.0', { local: { versionNeeded: 10 }, central: { versionNeeded: 10 } }],
    ['zip version 4.5', { local: { versionNeeded: 45 }, central: { versionNeeded: 45 } }],
    ['a deflate level', { flags: 0x0806, method: 8 }],
  ])('may be %s', (_, entry) => {
    expectFiles(buildZip({ entries: [{ name: 'a', content: 'x', ...entry }] }), { a: 'x' });
  });

  test.each([
    ['encrypted with the traditional method', 0x0001],
    ['encrypted with strong encryption', 0x0041],
    ['encrypted in its header', 0x2000],
  ])('may not be %s', (_, flags) => {
    expectRefused(zipWith({ name: 'a', flags: 0x0800 | flags }), 'a', /encrypted/);
  });

  test.each([4, 5, 7, 8, 9, 10, 12, 14, 15])('may not set flag bit %i', (bit) => {
    expectRefused(zipWith({ name: 'a', flags: 1 << bit }), 'a', /reserved flags/);
  });

  test.each([1, 6, 9, 12, 14, 93, 95, 98, 99])('may not be compressed with method %i', (method) => {
    expectRefused(zipWith({ name: 'a', content: 'x', method }), 'a', new RegExp(`method ${method}`));
  });

  test('may not require a newer format version', () => {
    expectRefused(zipWith({ name: 'a', central: { versionNeeded: 63 } }), 'a', /version 6\.3/);
    expectRefused(zipWith({ name: 'a', central: { versionNeeded: 46 } }), 'a', /version 4\.6/);
  });

  test('may not be on another disk', () => {
    expectRefused(zipWith({ name: 'a', central: { diskStart: 1 } }), 'a', /split archive/);
  });

  test.each([
    { compressedSize: 0xffffffff },
    { size: 0xffffffff },
    { offset: 0xffffffff },
    { diskStart: 0xffff },
  ])('may not point to zip64 by %o', (central) => {
    expectRefused(zipWith({ name: 'a', central }), 'a', /zip64/);
  });

  test.each([
    ['symbolic link', 0o120777],
    ['named pipe', 0o010644],
    ['character device', 0o020644],
    ['block device', 0o060644],
    ['socket', 0o140644],
  ])('may not be a %s', (_, unix) => {
    const entry = { name: 'a', content: '/etc/passwd', externalAttributes: mode(unix) };
    expectRefused(zipWith(entry), 'a', /a link or a device/);
    // A reader may apply the Unix mode although the zip claims to come from DOS.
    expectRefused(zipWith({ ...entry, central: { versionMadeBy: 20 } }), 'a', /a link or a device/);
  });

  test.each([
    ['volume label', 0x08],
    ['device', 0x40],
    ['Windows link', 0x400],
  ])('may not be a %s by DOS attributes', (_, externalAttributes) => {
    expectRefused(zipWith({ name: 'a', externalAttributes }), 'a', /attributes/);
  });

  test('must be a file, or a folder, by both its name and its attributes', () => {
    expectRefused(zipWith({ name: 'a', externalAttributes: mode(0o040755) }), 'a', /by its mode/);
    expectRefused(zipWith({ name: 'a/', externalAttributes: mode(0o100644) }), 'a/', /by its mode/);
    expectRefused(zipWith({ name: 'a', externalAttributes: 0x10 }), 'a', /does not end with a slash/);
  });

  test('must have equal sizes when stored', () => {
    const lie = { size: 3 };
    expectRefused(zipWith({ name: 'a', content: 'ab', local: lie, central: lie }), 'a', /two sizes, 2 and 3/);
  });

  test('must be empty when it is a folder', () => {
    expectRefused(zipWith({ name: 'a/', content: 'x' }), 'a/', /has content/);
    // Four bytes whose checksum is 0.
    expectRefused(zipWith({ name: 'a/', content: Buffer.from('9d0ad96d', 'hex') }), 'a/', /has content/);
    expectRefused(zipWith({ name: 'a/', central: { crc: 1 } }), 'a/', /has content/);
  });
});
