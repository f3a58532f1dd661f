import { crc32 } from '#deflate';
import { viewOf } from '../zip-format.ts';

/** Fields that replace what the header says, in those readers that know them. */
const REFUSED = new Map([
  // 4.5.3
  [0x0001, 'The entry carries a zip64 field: write the zip without zip64, a bundle never needs it.'],
  // 4.5.7 and the ASi field of 4.6.1: both can turn a file into a link.
  [0x000d, 'The entry carries a Unix field that can make it a link: pack with another tool.'],
  [0x756e, 'The entry carries a Unix field that can make it a link: pack with another tool.'],
  // 4.5.12, and WinZip's AES
  [0x0017, 'The entry is encrypted: pack without a password.'],
  [0x9901, 'The entry is encrypted: pack without a password.'],
]);

/** 4.6.9, Info-ZIP Unicode Path */
const UNICODE_PATH = 0x7075;

/** What is wrong with the extra fields (APPNOTE 4.5.1) of a central or local header, if anything is. */
export function checkExtraFields(extra: Uint8Array, rawName: Uint8Array): string | undefined {
  const view = viewOf(extra);
  for (let at = 0; at < extra.length; ) {
    const dataAt = at + 4;
    const end = dataAt > extra.length ? Number.POSITIVE_INFINITY : dataAt + view.getUint16(at + 2, true);
    if (end > extra.length) return 'The extra fields of the entry are cut off: pack with another tool.';
    const id = view.getUint16(at, true);
    const refused = REFUSED.get(id);
    if (refused) return refused;
    if (id === UNICODE_PATH && !namesAlike(extra.subarray(dataAt, end), rawName)) {
      return 'The entry has a second, different name in a Unicode path field: pack with another tool.';
    }
    at = end;
  }
  return undefined;
}

/** Readers that know the field take its name when the version is 1 and the CRC is that of the header's name. */
function namesAlike(field: Uint8Array, rawName: Uint8Array): boolean {
  if (field.length !== 5 + rawName.length || field[0] !== 1) return false;
  if (viewOf(field).getUint32(1, true) !== crc32(rawName)) return false;
  return rawName.every((byte, index) => byte === field[5 + index]);
}
