import zlib from 'node:zlib';
import { buildZip, bytesOf, extraField } from '@svc/testkit';
import { describe, expect, test } from 'vitest';
import { checkExtraFields, type HeaderKind } from '../../src/read/check-extra-fields.ts';
import { expectFiles, expectRefused, zipWith } from '../support/reading.ts';

function unicodePath(header: string, name: string, version = 1): Uint8Array {
  const crc = Buffer.alloc(4);
  crc.writeUInt32LE(zlib.crc32(header));
  return extraField(0x7075, bytesOf([version], crc, name));
}

/** Four reserved bytes, and attribute 1 with its 24 bytes of times. */
const NTFS = extraField(0x000a, bytesOf([0, 0, 0, 0, 1, 0, 24, 0], new Uint8Array(24)));

const EXTRAS: Record<string, { local: Uint8Array; central: Uint8Array }> = {
  'extended timestamp': {
    local: extraField(0x5455, bytesOf([7], new Uint8Array(12))),
    central: extraField(0x5455, bytesOf([7], new Uint8Array(4))),
  },
  'extended timestamp, complete in both headers': {
    local: extraField(0x5455, bytesOf([3], new Uint8Array(8))),
    central: extraField(0x5455, bytesOf([3], new Uint8Array(8))),
  },
  'Info-ZIP Unix, first': {
    local: extraField(0x5855, new Uint8Array(12)),
    central: extraField(0x5855, new Uint8Array(8)),
  },
  'Info-ZIP Unix, second': {
    local: extraField(0x7855, new Uint8Array(4)),
    central: extraField(0x7855, new Uint8Array(0)),
  },
  'Info-ZIP Unix, third': {
    local: extraField(0x7875, bytesOf([1, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0])),
    central: extraField(0x7875, bytesOf([1, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0])),
  },
  'NTFS times': { local: NTFS, central: NTFS },
};

describe('extra fields', () => {
  test.each(Object.entries(EXTRAS))('%s: accepted in one header or in both', (_, { local, central }) => {
    for (const spec of [
      { local: { extra: local }, central: { extra: central } },
      { local: { extra: local } },
      { central: { extra: central } },
    ]) {
      expectFiles(buildZip({ entries: [{ name: 'a', content: 'x', ...spec }] }), { a: 'x' });
    }
  });

  test.each(Object.entries(EXTRAS))(
    '%s: refused when one byte too long, one byte too short, or repeated',
    (_, fields) => {
      for (const kind of ['local', 'central'] as const) {
        const field = fields[kind];
        const [id, data] = [Buffer.from(field).readUInt16LE(0), field.subarray(4)];
        const refuse = (extra: Uint8Array, why: RegExp) =>
          expectRefused(zipWith({ name: 'a', [kind]: { extra } }), 'a', why);
        refuse(extraField(id, bytesOf(data, [0])), /has an invalid length/);
        if (data.length > 0) refuse(extraField(id, data.subarray(1)), /has an invalid length/);
        refuse(bytesOf(field, field), /twice/);
      }
    },
  );

  test('for NTFS must hold times', () => {
    const other = extraField(0x000a, bytesOf([0, 0, 0, 0, 2, 0, 24, 0], new Uint8Array(24)));
    expectRefused(zipWith({ name: 'a', local: { extra: other } }), 'a', /0x000a/);
  });

  test.each([
    ['with owner and group in the central header', 0x5855, 'central', new Uint8Array(12)],
    ['of another version', 0x7875, 'local', bytesOf([2, 0, 0])],
  ] as const)('of Info-ZIP Unix may not be %s', (_, id, kind, data) => {
    expectRefused(zipWith({ name: 'a', [kind]: { extra: extraField(id, data) } }), 'a', /invalid length/);
  });

  test('that are not on the list are refused in either header, all 65,530 of them', () => {
    const allowed = [0x000a, 0x5455, 0x5855, 0x7855, 0x7875, 0x7075];
    const isRefused = (id: number, kind: HeaderKind) =>
      checkExtraFields(extraField(id, new Uint8Array(0)), bytesOf('a'), kind) !== undefined;
    const passed = Array.from({ length: 0x1_0000 }, (_, id) => id).filter(
      (id) => !allowed.includes(id) && !(isRefused(id, 'local') && isRefused(id, 'central')),
    );
    expect(passed).toEqual([]);
  });

  test.each([
    ['zip64', 0x0001, /zip64/],
    ['PKWARE Unix', 0x000d, /a link/],
    ['ASi Unix', 0x756e, /a link/],
    ['libarchive', 0x6c78, /a link/],
    ['strong encryption', 0x0017, /encrypted/],
    ['WinZip AES', 0x9901, /encrypted/],
    ['a jar', 0xcafe, /is a JAR.*svc pack/],
  ])('of %s are refused in either header', (_, id, message) => {
    const extra = extraField(id, new Uint8Array(16));
    expectRefused(zipWith({ name: 'a', local: { extra } }), 'a', message);
    expectRefused(zipWith({ name: 'a', central: { extra } }), 'a', message);
  });

  test.each([
    ['half a header', bytesOf([0x55, 0x54])],
    ['a length beyond the end', bytesOf([0x55, 0x54, 9, 0, 1, 2])],
    ['padding', new Uint8Array(3)],
  ])('may not hold %s', (_, extra) => {
    expectRefused(zipWith({ name: 'a', extra }), 'a', /cut off/);
  });

  test('may repeat the name in Unicode, but not change it', () => {
    const raw = bytesOf('plugin.json');
    expect(checkExtraFields(unicodePath('plugin.json', 'plugin.json'), raw, 'local')).toBeUndefined();
    expect(checkExtraFields(unicodePath('plugin.json', 'evil-in.json'), raw, 'local')).toMatch(
      /second, different name/,
    );
    expect(checkExtraFields(unicodePath('plugin.json', 'pluGin.json'), raw, 'local')).toMatch(
      /second, different name/,
    );
    expect(checkExtraFields(unicodePath('plugin.json', 'plugin.json.js'), raw, 'local')).toMatch(
      /second, different name/,
    );
    expect(checkExtraFields(unicodePath('other', 'plugin.json'), raw, 'local')).toMatch(
      /second, different name/,
    );
    expect(checkExtraFields(unicodePath('plugin.json', 'plugin.json', 2), raw, 'local')).toMatch(/second/);
    expect(checkExtraFields(bytesOf([0x75, 0x70, 4, 0, 1]), raw, 'central')).toMatch(/cut off/);
  });

  test('that rename an entry are refused in either header', () => {
    const extra = unicodePath('a', 'b');
    expectRefused(zipWith({ name: 'a', local: { extra } }), 'a', /second, different name/);
    expectRefused(zipWith({ name: 'a', central: { extra } }), 'a', /second, different name/);
  });
});
