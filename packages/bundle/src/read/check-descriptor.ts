import { METHOD, SIGNATURE, viewOf } from '../zip-format.ts';
import type { CentralHeader } from './central-header.ts';

const UNSIGNED = 12;
const SIGNED = 16;

/** What is wrong with a data descriptor (APPNOTE 4.3.9), if anything is. */
export function checkDescriptor(
  trailer: Uint8Array,
  header: CentralHeader,
  packed: Uint8Array,
): string | undefined {
  if (trailer.length !== UNSIGNED && trailer.length !== SIGNED) {
    return 'The data descriptor is missing, or bytes that belong to no entry follow it: pack again.';
  }
  const view = viewOf(trailer);
  const isSigned = trailer.length === SIGNED;
  // A reader tells the two forms apart by the first four bytes, so these must not mislead it.
  if ((view.getUint32(0, true) === SIGNATURE.descriptor) !== isSigned) {
    return 'The data descriptor can be read in two ways: pack again without streaming.';
  }
  const fields = [0, 4, 8].map((field) => view.getUint32(trailer.length - UNSIGNED + field, true));
  const declared = [header.crc, header.compressedSize, header.size];
  if (fields.some((value, index) => value !== declared[index])) {
    return 'The data descriptor does not repeat the checksum and sizes of the entry: pack again.';
  }
  return header.method === METHOD.stored && !isFindable(packed, isSigned)
    ? 'A streaming reader cannot tell where this stored entry ends: compress it.'
    : undefined;
}

/**
 * Stored bytes do not end by themselves: who streams looks for the first record mark after them. libarchive does so even
 * when the local header tells the size.
 */
function isFindable(packed: Uint8Array, isSigned: boolean): boolean {
  if (!isSigned) return false;
  const view = viewOf(packed);
  for (let at = packed.indexOf(0x50); at >= 0 && at + 4 <= packed.length; at = packed.indexOf(0x50, at + 1)) {
    const mark = view.getUint32(at, true);
    if (mark === SIGNATURE.descriptor || mark === SIGNATURE.local || mark === SIGNATURE.central) return false;
  }
  return true;
}
