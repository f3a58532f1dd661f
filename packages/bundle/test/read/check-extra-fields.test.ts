import zlib from 'node:zlib';
import { buildZip, bytesOf, extraField } from '@svc/testkit';
import { describe, expect, test } from 'vitest';
import { checkExtraFields } from '../../src/read/check-extra-fields.ts';
import { expectFiles, expectRefused, zipWith } from '../support/reading.ts';

function unicodePath(header: string, name: string, version = 1): Uint8Array {
  const crc = Buffer.alloc(4);
  crc.writeUInt32LE(zlib.crc32(header));
  return extraField(0x7075, bytesOf([version], crc, name));
}

describe('extra fields', () => {
  test('that only tell times and owners are accepted', () => {
    const local = {
      extra: bytesOf(extraField(0x5455, new Uint8Array(9)), extraField(0x7875, new Uint8Array(11))),
    };
    const central = { extra: extraField(0x5455, new Uint8Array(5)) };
    expectFiles(buildZip({ entries: [{ name: 'a', content: 'x', local, central }] }), { a: 'x' });
  });

  test.each([
    ['zip64', 0x0001, /zip64/],
    ['PKWARE Unix', 0x000d, /a link/],
    ['ASi Unix', 0x756e, /a link/],
    ['strong encryption', 0x0017, /encrypted/],
    ['WinZip AES', 0x9901, /encrypted/],
  ])('of %s are refused in either header', (_, id, message) => {
    const extra = extraField(id, new Uint8Array(16));
    expectRefused(zipWith({ name: 'a', local: { extra } }), 'a', message);
    expectRefused(zipWith({ name: 'a', central: { extra } }), 'a', message);
  });

  test.each([
    ['half a header', bytesOf([0x55, 0x54])],
    ['more than there is', bytesOf([0x55, 0x54, 9, 0, 1, 2])],
    ['padding', new Uint8Array(3)],
  ])('may not hold %s', (_, extra) => {
    expectRefused(zipWith({ name: 'a', extra }), 'a', /cut off/);
  });

  test('may repeat the name in Unicode, but not change it', () => {
    const raw = bytesOf('plugin.json');
    const cutOff = 'The extra fields of the entry are cut off: pack with another tool.';
    expect(checkExtraFields(unicodePath('plugin.json', 'plugin.json'), raw)).toBeUndefined();
    expect(checkExtraFields(unicodePath('plugin.json', 'evil-in.json'), raw)).toMatch(
      /second, different name/,
    );
    expect(checkExtraFields(unicodePath('plugin.json', 'pluGin.json'), raw)).toMatch(
      /second, different name/,
    );
    expect(checkExtraFields(unicodePath('other', 'plugin.json'), raw)).toMatch(/second, different name/);
    expect(checkExtraFields(unicodePath('plugin.json', 'plugin.json', 2), raw)).toMatch(/second/);
    expect(checkExtraFields(bytesOf([0x75, 0x70, 4, 0, 1]), raw)).toBe(cutOff);
  });

  test('that rename an entry are refused in either header', () => {
    const extra = unicodePath('a', 'b');
    expectRefused(zipWith({ name: 'a', local: { extra } }), 'a', /second, different name/);
    expectRefused(zipWith({ name: 'a', central: { extra } }), 'a', /second, different name/);
  });
});
