import { Refusal } from '../refusal.ts';
import { FIXED_SIZE, FLAG, METHOD, SIGNATURE, u16, u32, viewOf, ZIP64_MARK } from '../zip-format.ts';
import { checkExtraFields } from './check-extra-fields.ts';
import type { CentralHeader } from './parse-central-directory.ts';

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
  if ((u32(view, 0) === SIGNATURE.descriptor) !== isSigned) {
    return 'The data descriptor is ambiguous: pack again without streaming.';
  }
  const fields = [0, 4, 8].map((field) => u32(view, trailer.length - UNSIGNED + field));
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
    const mark = u32(view, at);
    if (mark === SIGNATURE.descriptor || mark === SIGNATURE.local || mark === SIGNATURE.central) return false;
  }
  return true;
}

/** An entry whose headers agree, with its data in the zip. */
export interface LocatedEntry {
  header: CentralHeader;
  packed: Uint8Array;
}

/** Location of a local record: from its header to the next record. */
interface Extent {
  start: number;
  end: number;
}

/**
 * Checks that the local records (APPNOTE 4.3.7) agree with the central directory, and fill the bytes before it
 * without gap or overlap: then a streaming reader sees the same entries.
 */
export function checkLocalHeaders(
  bytes: Uint8Array,
  headers: readonly CentralHeader[],
  directoryOffset: number,
): LocatedEntry[] | Refusal {
  const ordered = [...headers].sort((a, b) => a.offset - b.offset);
  if (ordered[0]?.offset !== 0) {
    return new Refusal('', 'The zip has bytes before its first entry: remove them.');
  }
  const located = new Map<CentralHeader, LocatedEntry>();
  for (const [index, header] of ordered.entries()) {
    const next = ordered[index + 1]?.offset ?? directoryOffset;
    const extent = { start: header.offset, end: Math.min(next, directoryOffset) };
    const packed = packedBytes(bytes, header, extent);
    if (typeof packed === 'string') return new Refusal(header.name, packed);
    located.set(header, { header, packed });
  }
  return headers.flatMap((header) => located.get(header) ?? []);
}

/** Returns the data of the entry in the zip, or the problem of its local record. */
function packedBytes(bytes: Uint8Array, header: CentralHeader, { start, end }: Extent): Uint8Array | string {
  const view = viewOf(bytes);
  if (start + FIXED_SIZE.local > end || u32(view, start) !== SIGNATURE.local) {
    return 'The list of entries refers to an offset where no entry begins: pack again.';
  }
  const nameAt = start + FIXED_SIZE.local;
  const extraAt = nameAt + u16(view, start + 26);
  const dataAt = extraAt + u16(view, start + 28);
  const dataEnd = dataAt + header.compressedSize;
  if (dataEnd > end) return 'The entry overlaps the next one: pack again.';
  const why =
    nameFault(bytes.subarray(nameAt, extraAt), header.rawName) ??
    fieldFault(view, start, header) ??
    checkExtraFields(bytes.subarray(extraAt, dataAt), header.rawName, 'local') ??
    trailerFault(bytes, header, { start: dataAt, end });
  return why ?? bytes.subarray(dataAt, dataEnd);
}

function nameFault(localName: Uint8Array, rawName: Uint8Array): string | undefined {
  const same =
    localName.length === rawName.length && localName.every((byte, index) => byte === rawName[index]);
  return same ? undefined : 'The entry has another name in its local header: pack again.';
}

function fieldFault(view: DataView, at: number, header: CentralHeader): string | undefined {
  if (u16(view, at + 6) !== header.flags) return differing('flags');
  if (u16(view, at + 8) !== header.method) return differing('compression method');
  // 4.4.4, bit 3: streaming writers write zero here; some fill in the value afterwards. Both are valid.
  const mayBeZero = (header.flags & FLAG.descriptor) !== 0;
  const fits = (field: number, value: number) => {
    const local = u32(view, at + field);
    return local === value || (mayBeZero && local === 0);
  };
  if ([18, 22].some((field) => u32(view, at + field) === ZIP64_MARK.u32)) return LOCAL_ZIP64;
  if (!fits(14, header.crc)) return differing('checksum');
  if (!fits(18, header.compressedSize) || !fits(22, header.size)) return differing('size');
  return undefined;
}

const LOCAL_ZIP64 =
  'The entry uses zip64 in its local header: pack without zip64, which a bundle never needs.';

function differing(what: string): string {
  return `The entry has another ${what} in its local header: pack again.`;
}

/** Checks what follows the data of an entry: a data descriptor if the header declares one, otherwise the next record. */
function trailerFault(bytes: Uint8Array, header: CentralHeader, { start, end }: Extent): string | undefined {
  const dataEnd = start + header.compressedSize;
  if (header.flags & FLAG.descriptor) {
    return checkDescriptor(bytes.subarray(dataEnd, end), header, bytes.subarray(start, dataEnd));
  }
  return dataEnd === end ? undefined : 'The entry is followed by bytes that belong to no entry: pack again.';
}
