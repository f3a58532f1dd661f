import { METHOD, SIGNATURE, viewOf } from '../zip-format.ts';
import type { CentralHeader } from './central-header.ts';

const UNSIGNED = 12;
const SIGNED = 16;

/** Returns the problem of a data descriptor (APPNOTE 4.3.9), or undefined. */
export function checkDescriptor(
  trailer: Uint8Array,
  header: CentralHeader,
  packed: Uint8Array,
): string | undefined {
  if (trailer.length !== UNSIGNED && trailer.length !== SIGNED) {
    return 'The data descriptor is missing, or followed by bytes that belong to no entry: pack again.';
  }
  const view = viewOf(trailer);
  const isSigned = trailer.length === SIGNED;
  // Readers distinguish the two forms by the first four bytes, so these must be unambiguous.
  if ((view.getUint32(0, true) === SIGNATURE.descriptor) !== isSigned) {
    return 'The data descriptor is ambiguous: pack again without streaming.';
  }
  const fields = [0, 4, 8].map((field) => view.getUint32(trailer.length - UNSIGNED + field, true));
  const declared = [header.crc, header.compressedSize, header.size];
  if (fields.some((value, index) => value !== declared[index])) {
    return 'The data descriptor has another checksum or other sizes than the entry: pack again.';
  }
  return header.method === METHOD.stored && !isFindable(packed, isSigned)
    ? 'A streaming reader cannot find the end of this stored entry: compress it.'
    : undefined;
}

/**
 * Stored data has no end marker: a streaming reader searches for the next record signature. libarchive does so even
 * if the local header has the size.
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
