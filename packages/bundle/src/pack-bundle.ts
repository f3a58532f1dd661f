import { deflateSync } from 'fflate';
import { crc32 } from '#deflate';
import type { BundleEntries } from './bundle-entries.ts';
import { isBeyondRatio } from './read/check-sizes.ts';
import { FIXED_SIZE, FLAG, METHOD, SIGNATURE, UNIX_TYPE, viewOf } from './zip-format.ts';

/** APPNOTE 4.4.2: made by Unix, version 2.0 of the format, on every system. */
const MADE_BY = (3 << 8) | 20;
const VERSION_NEEDED = 20;
/** 4.4.6: the earliest DOS time, 1 January 1980, with a time of 0. DOS time has no zone. */
const DOS_DATE = (1 << 5) | 1;
const ATTRIBUTES = ((UNIX_TYPE.file | 0o644) << 16) >>> 0;

interface PackedEntry {
  name: Uint8Array;
  method: number;
  crc: number;
  size: number;
  packed: Uint8Array;
  offset: number;
}

/**
 * Packs files reproducibly: the same files give the same bytes, independent of their order, the
 * time, the time zone and the machine.
 * @param stored does not compress the files: larger, but many times faster, for a zip that is only inspected
 * @throws RangeError for names and counts that are not possible in a zip
 */
export function packBundle(entries: BundleEntries, { stored = false } = {}): Uint8Array {
  if (entries.size >= 0xffff) throw new RangeError(`A zip cannot hold ${entries.size} files.`);
  const packed: PackedEntry[] = [];
  let offset = 0;
  // Not zipSync: it has entries as keys of an object, which reorders names like "1" and loses "__proto__".
  for (const [name, content] of [...entries].sort(byCodeUnit)) {
    const entry = packEntry(name, content, offset, stored);
    packed.push(entry);
    offset += FIXED_SIZE.local + entry.name.length + entry.packed.length;
  }
  const directory = packed.map(centralRecord);
  const directorySize = directory.reduce((sum, record) => sum + record.length, 0);
  const local = packed.flatMap((entry) => [localRecord(entry), entry.packed]);
  return concatenate([...local, ...directory, endRecord(packed.length, directorySize, offset)]);
}

function byCodeUnit([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function packEntry(name: string, content: Uint8Array, offset: number, stored: boolean): PackedEntry {
  const encoded = new TextEncoder().encode(name);
  if (!name.isWellFormed() || encoded.length > 0xffff) {
    throw new RangeError(`A zip cannot hold the name ${JSON.stringify(name.slice(0, 80))}.`);
  }
  const deflated = stored ? undefined : deflate(content);
  return {
    name: encoded,
    method: deflated === undefined ? METHOD.stored : METHOD.deflated,
    crc: crc32(content),
    size: content.length,
    packed: deflated ?? content,
    offset,
  };
}

/** Undefined if deflate does not shrink the file, or so much that the reader would treat it as a decompression bomb. */
function deflate(content: Uint8Array): Uint8Array | undefined {
  // `mem` is set because fflate's default comes from Math.log, which engines may round differently.
  const deflated = deflateSync(content, { level: 9, mem: 8 });
  const isShrunk = deflated.length < content.length && !isBeyondRatio(content.length, deflated.length);
  return isShrunk ? deflated : undefined;
}

/** 4.3.7 */
function localRecord(entry: PackedEntry): Uint8Array {
  const record = new Uint8Array(FIXED_SIZE.local + entry.name.length);
  const view = viewOf(record);
  view.setUint32(0, SIGNATURE.local, true);
  writeShared(view, 4, entry);
  record.set(entry.name, FIXED_SIZE.local);
  return record;
}

/** 4.3.12 */
function centralRecord(entry: PackedEntry): Uint8Array {
  const record = new Uint8Array(FIXED_SIZE.central + entry.name.length);
  const view = viewOf(record);
  view.setUint32(0, SIGNATURE.central, true);
  view.setUint16(4, MADE_BY, true);
  writeShared(view, 6, entry);
  view.setUint32(38, ATTRIBUTES, true);
  view.setUint32(42, entry.offset, true);
  record.set(entry.name, FIXED_SIZE.central);
  return record;
}

/** The fields from "version needed" to "file name length", which both headers have. */
function writeShared(view: DataView, at: number, entry: PackedEntry): void {
  view.setUint16(at, VERSION_NEEDED, true);
  view.setUint16(at + 2, FLAG.utf8, true);
  view.setUint16(at + 4, entry.method, true);
  view.setUint16(at + 8, DOS_DATE, true);
  view.setUint32(at + 10, entry.crc, true);
  view.setUint32(at + 14, entry.packed.length, true);
  view.setUint32(at + 18, entry.size, true);
  view.setUint16(at + 22, entry.name.length, true);
}

/** 4.3.16 */
function endRecord(count: number, directorySize: number, directoryOffset: number): Uint8Array {
  const record = new Uint8Array(FIXED_SIZE.end);
  const view = viewOf(record);
  view.setUint32(0, SIGNATURE.end, true);
  view.setUint16(8, count, true);
  view.setUint16(10, count, true);
  view.setUint32(12, directorySize, true);
  view.setUint32(16, directoryOffset, true);
  return record;
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
