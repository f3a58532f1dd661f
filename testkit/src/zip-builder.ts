import zlib from 'node:zlib';

/** The fields of a local header that a test may falsify. */
export interface LocalFields {
  signature: number;
  versionNeeded: number;
  flags: number;
  method: number;
  time: number;
  date: number;
  crc: number;
  compressedSize: number;
  size: number;
  name: Uint8Array;
  nameLength: number;
  extra: Uint8Array;
  extraLength: number;
}

/** The fields of a central header that a test may falsify. */
export interface CentralFields extends LocalFields {
  versionMadeBy: number;
  comment: Uint8Array;
  commentLength: number;
  diskStart: number;
  internalAttributes: number;
  externalAttributes: number;
  offset: number;
}

/** The fields of the end record that a test may falsify. */
export interface EndFields {
  signature: number;
  disk: number;
  directoryDisk: number;
  countOnDisk: number;
  count: number;
  size: number;
  offset: number;
  comment: Uint8Array;
  commentLength: number;
}

/** An entry. Missing fields get their correct values. */
export interface ZipEntrySpec {
  name: string | Uint8Array;
  /** The inflated content; empty by default. */
  content?: string | Uint8Array;
  /** 0 (the default) stores, 8 deflates; any other method leaves the content unchanged. */
  method?: number;
  /** Bytes that replace the compressed content. */
  packed?: Uint8Array;
  flags?: number;
  extra?: Uint8Array;
  externalAttributes?: number;
  /** Adds a data descriptor and its flag; bytes are written as given. The local sizes become zero. */
  descriptor?: 'signed' | 'unsigned' | Uint8Array;
  local?: Partial<LocalFields>;
  central?: Partial<CentralFields>;
  /** Writes no central header: an entry that only a streaming reader sees. */
  hidden?: boolean;
  /** Writes no local record, only a central header, which needs an `offset`. */
  centralOnly?: boolean;
  /** Bytes before the local header. */
  before?: Uint8Array;
  /** Bytes after the entry's data. */
  after?: Uint8Array;
}

/** A zip, valid or not. */
export interface ZipSpec {
  entries: ZipEntrySpec[];
  /** Bytes before the first entry; offsets count from after them unless `shiftOffsets`. */
  prefix?: Uint8Array;
  shiftOffsets?: boolean;
  beforeDirectory?: Uint8Array;
  afterDirectory?: Uint8Array;
  end?: Partial<EndFields>;
  suffix?: Uint8Array;
}

const UTF8_FLAG = 0x0800;
const DESCRIPTOR_FLAG = 0x0008;
const NONE = new Uint8Array(0);
const DATE = (1 << 5) | 1;

/** Writes a zip field by field, without checks, for tests with invalid zips. */
export function buildZip(spec: ZipSpec): Uint8Array {
  const body: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  const base = spec.shiftOffsets ? (spec.prefix?.length ?? 0) : 0;
  let at = base;
  for (const entry of spec.entries) {
    const facts = factsOf(entry);
    const local = entry.centralOnly ? [] : localRecord(entry, facts);
    const offset = at + (entry.before?.length ?? 0);
    if (!entry.hidden) directory.push(centralRecord(entry, facts, offset));
    body.push(...local);
    at += lengthOf(local);
  }
  const before = spec.beforeDirectory ?? NONE;
  const end = endRecord(directory, at + before.length, spec.end ?? {});
  const after = spec.afterDirectory ?? NONE;
  return join([spec.prefix ?? NONE, ...body, before, ...directory, after, end, spec.suffix ?? NONE]);
}

/** An extra field: its id and its bytes. */
export function extraField(id: number, data: Uint8Array): Uint8Array {
  return join([u16(id), u16(data.length), data]);
}

/** Concatenates bytes and (UTF-8) text. */
export function bytesOf(...parts: (Uint8Array | string | number[])[]): Uint8Array {
  return join(parts.map((part) => (typeof part === 'string' ? encode(part) : Uint8Array.from(part))));
}

interface Facts {
  name: Uint8Array;
  flags: number;
  method: number;
  crc: number;
  size: number;
  packed: Uint8Array;
}

function factsOf(entry: ZipEntrySpec): Facts {
  const content = toBytes(entry.content ?? NONE);
  const method = entry.method ?? 0;
  return {
    name: toBytes(entry.name),
    flags: entry.flags ?? (entry.descriptor ? UTF8_FLAG | DESCRIPTOR_FLAG : UTF8_FLAG),
    method,
    crc: zlib.crc32(content),
    size: content.length,
    packed: entry.packed ?? (method === 8 ? Uint8Array.from(zlib.deflateRawSync(content)) : content),
  };
}

function localRecord(entry: ZipEntrySpec, facts: Facts): Uint8Array[] {
  const sizes = { crc: facts.crc, compressedSize: facts.packed.length, size: facts.size };
  const known = entry.descriptor ? { crc: 0, compressedSize: 0, size: 0 } : sizes;
  const f = { ...sharedFields(entry, facts), signature: 0x04034b50, ...known, ...entry.local };
  const header = [u32(f.signature), ...sharedBytes(f), f.name, f.extra];
  return [entry.before ?? NONE, ...header, facts.packed, descriptorOf(entry, facts), entry.after ?? NONE];
}

function centralRecord(entry: ZipEntrySpec, facts: Facts, offset: number): Uint8Array {
  const f = {
    ...sharedFields(entry, facts),
    signature: 0x02014b50,
    versionMadeBy: (3 << 8) | 20,
    comment: NONE,
    commentLength: entry.central?.comment?.length ?? 0,
    diskStart: 0,
    internalAttributes: 0,
    externalAttributes: entry.externalAttributes ?? 0,
    offset,
    ...entry.central,
  };
  return join([
    u32(f.signature),
    u16(f.versionMadeBy),
    ...sharedBytes(f),
    u16(f.commentLength),
    u16(f.diskStart),
    u16(f.internalAttributes),
    u32(f.externalAttributes),
    u32(f.offset),
    f.name,
    f.extra,
    f.comment,
  ]);
}

/** The fields of both headers, correct unless `local` or `central` replaces them. */
function sharedFields(entry: ZipEntrySpec, facts: Facts): Omit<LocalFields, 'signature'> {
  const extra = entry.extra ?? NONE;
  const { name, flags, method, crc, size, packed } = facts;
  return {
    versionNeeded: 20,
    flags,
    method,
    time: 0,
    date: DATE,
    crc,
    compressedSize: packed.length,
    size,
    name,
    nameLength: Number.NaN,
    extra,
    extraLength: Number.NaN,
  };
}

function sharedBytes(f: Omit<LocalFields, 'signature'>): Uint8Array[] {
  const halves = [f.versionNeeded, f.flags, f.method, f.time, f.date].map(u16);
  const words = [f.crc, f.compressedSize, f.size].map(u32);
  // NaN means the actual length, so that a test that changes the name does not have to compute it.
  const nameLength = Number.isNaN(f.nameLength) ? f.name.length : f.nameLength;
  const extraLength = Number.isNaN(f.extraLength) ? f.extra.length : f.extraLength;
  return [...halves, ...words, u16(nameLength), u16(extraLength)];
}

function descriptorOf(entry: ZipEntrySpec, facts: Facts): Uint8Array {
  if (entry.descriptor === undefined) return NONE;
  if (entry.descriptor instanceof Uint8Array) return entry.descriptor;
  const signature = entry.descriptor === 'signed' ? [u32(0x08074b50)] : [];
  return join([...signature, u32(facts.crc), u32(facts.packed.length), u32(facts.size)]);
}

function endRecord(directory: Uint8Array[], offset: number, fields: Partial<EndFields>): Uint8Array {
  const f = {
    signature: 0x06054b50,
    disk: 0,
    directoryDisk: 0,
    countOnDisk: directory.length,
    count: directory.length,
    size: lengthOf(directory),
    offset,
    comment: NONE,
    commentLength: fields.comment?.length ?? 0,
    ...fields,
  };
  return join([
    u32(f.signature),
    ...[f.disk, f.directoryDisk, f.countOnDisk, f.count].map(u16),
    ...[f.size, f.offset].map(u32),
    u16(f.commentLength),
    f.comment,
  ]);
}

function u16(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff);
}

function u32(value: number): Uint8Array {
  return join([u16(value & 0xffff), u16(value >>> 16)]);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function toBytes(value: string | Uint8Array): Uint8Array {
  return typeof value === 'string' ? encode(value) : value;
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(lengthOf(parts));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
