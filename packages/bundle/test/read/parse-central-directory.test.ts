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
