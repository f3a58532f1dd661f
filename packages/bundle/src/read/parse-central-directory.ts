import { quote, Refusal } from '../refusal.ts';
import {
  FIXED_SIZE,
  FLAG,
  METHOD,
  SIGNATURE,
  UNIX_TYPE,
  u16,
  u32,
  viewOf,
  ZIP64_MARK,
} from '../zip-format.ts';
import { checkExtraFields } from './check-extra-fields.ts';
import type { DirectoryPlace } from './parse-end-record.ts';

/** The central header of an entry (APPNOTE 4.3.12). */
export interface CentralHeader {
  name: string;
  /** The encoded name, to compare with other copies of it. */
  rawName: Uint8Array;
  /** 4.4.17.1: a name that ends with a slash is a folder. */
  isFolder: boolean;
  versionNeeded: number;
  flags: number;
  method: number;
  crc: number;
  compressedSize: number;
  size: number;
  extra: Uint8Array;
  diskStart: number;
  externalAttributes: number;
  /** Offset of the local header. */
  offset: number;
}

/** APPNOTE 4.4.3.2: every reader supports versions up to 4.5; later ones add methods and ciphers that are refused anyway. */
const NEWEST_VERSION = 45;

/** 4.4.4: any other bit means encryption, patch data, masked headers, or something that readers interpret differently. */
const KNOWN_FLAGS = FLAG.deflateLevel | FLAG.descriptor | FLAG.utf8;

/** DOS attributes, the lower half of the external attributes (4.4.15). */
const DOS = { volumeLabel: 0x08, folder: 0x10, device: 0x40, reparsePoint: 0x400 } as const;

/** Refuses an entry whose central header needs a feature that readers handle differently. */
function checkEntry(header: CentralHeader): Refusal | undefined {
  const why =
    zip64Fault(header) ??
    featureFault(header) ??
    attributeFault(header) ??
    sizeFault(header) ??
    checkExtraFields(header.extra, header.rawName, 'central');
  return why === undefined ? undefined : new Refusal(header.name, why);
}

function zip64Fault({ compressedSize, size, offset, diskStart }: CentralHeader): string | undefined {
  const marked = [compressedSize, size, offset].includes(ZIP64_MARK.u32) || diskStart === ZIP64_MARK.u16;
  return marked ? 'The entry uses zip64: pack without zip64, which a bundle never needs.' : undefined;
}

function featureFault({ flags, method, versionNeeded, diskStart }: CentralHeader): string | undefined {
  // 4.4.4: bit 0, bit 6 and bit 13 are the three kinds of encryption.
  if (flags & 0x2041) return 'The entry is encrypted: pack without a password.';
  if (flags & ~KNOWN_FLAGS) return 'The entry sets reserved flags: pack with another tool.';
  if (method !== METHOD.stored && method !== METHOD.deflated) {
    return `The entry is compressed with method ${method}: use deflate, or store it.`;
  }
  // 4.4.3: readers ignore the upper byte, which only old writers set.
  if ((versionNeeded & 0xff) > NEWEST_VERSION) {
    return `The entry needs zip version ${(versionNeeded & 0xff) / 10}: pack with default settings.`;
  }
  // 4.4.13
  if (diskStart !== 0) return 'The entry is in another part of a split archive: write a single file.';
  return undefined;
}

/**
 * Readers disagree on whether to use the attributes, and on whether the "made by" system selects the half to use,
 * so both halves must agree with the name.
 */
function attributeFault({ isFolder, externalAttributes }: CentralHeader): string | undefined {
  const unixType = (externalAttributes >>> 16) & UNIX_TYPE.mask;
  const fitting = isFolder ? UNIX_TYPE.folder : UNIX_TYPE.file;
  if (unixType !== 0 && unixType !== UNIX_TYPE.file && unixType !== UNIX_TYPE.folder) {
    return 'The entry is a link or a device: pack the file itself.';
  }
  if (unixType !== 0 && unixType !== fitting)
    return 'The entry is a file by its name and a folder by its mode, or the reverse: pack again.';
  if (externalAttributes & (DOS.volumeLabel | DOS.device | DOS.reparsePoint)) {
    return 'The entry is a volume label, a device or a link by its attributes: pack plain files.';
  }
  if (!isFolder && externalAttributes & DOS.folder) {
    return 'The entry is a folder by its attributes, but its name does not end with a slash: pack again.';
  }
  return undefined;
}

function sizeFault({ isFolder, method, compressedSize, size, crc }: CentralHeader): string | undefined {
  if (method === METHOD.stored && compressedSize !== size) {
    return `The entry is stored but has two sizes, ${compressedSize} and ${size}: pack again.`;
  }
  if (isFolder && (size !== 0 || crc !== 0)) return 'The entry is a folder but has content: pack again.';
  return undefined;
}

/** Parses exactly the declared number of headers from exactly the declared bytes. */
export function parseCentralDirectory(bytes: Uint8Array, place: DirectoryPlace): CentralHeader[] | Refusal {
  const view = viewOf(bytes);
  const headers: CentralHeader[] = [];
  let at = place.offset;
  while (headers.length < place.count) {
    const end = headerEnd(view, at, place.end);
    if (end === undefined) {
      return new Refusal('', `Entry ${headers.length + 1} of the list of entries is damaged: pack again.`);
    }
    const header = parseHeader(bytes, view, at);
    if (header instanceof Refusal) return header;
    const fault = checkEntry(header);
    if (fault) return fault;
    headers.push(header);
    at = end;
  }
  if (at !== place.end) {
    return new Refusal('', 'The list of entries has more entries than the end record declares: pack again.');
  }
  return headers;
}

/** End of the header that begins here, or undefined when it is incomplete. */
function headerEnd(view: DataView, at: number, limit: number): number | undefined {
  if (at + FIXED_SIZE.central > limit || u32(view, at) !== SIGNATURE.central) return undefined;
  const variable = [28, 30, 32].reduce((sum, field) => sum + u16(view, at + field), 0);
  const end = at + FIXED_SIZE.central + variable;
  return end > limit ? undefined : end;
}

function parseHeader(bytes: Uint8Array, view: DataView, at: number): CentralHeader | Refusal {
  const nameAt = at + FIXED_SIZE.central;
  const extraAt = nameAt + u16(view, at + 28);
  const rawName = bytes.subarray(nameAt, extraAt);
  const flags = u16(view, at + 8);
  const name = decodeName(rawName, (flags & FLAG.utf8) !== 0);
  if (name instanceof Refusal) return name;
  const commentAt = extraAt + u16(view, at + 30);
  if (!isUtf8(bytes.subarray(commentAt, commentAt + u16(view, at + 32)))) {
    return new Refusal(name, 'The comment of the entry is not valid UTF-8: pack without comments.');
  }
  return {
    name,
    rawName,
    isFolder: name.endsWith('/'),
    versionNeeded: u16(view, at + 6),
    flags,
    method: u16(view, at + 10),
    crc: u32(view, at + 16),
    compressedSize: u32(view, at + 20),
    size: u32(view, at + 24),
    extra: bytes.subarray(extraAt, commentAt),
    diskStart: u16(view, at + 34),
    externalAttributes: u32(view, at + 38),
    offset: u32(view, at + 42),
  };
}

/** Java decodes the comments of all entries, and refuses the whole zip if one fails. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Appendix D: without bit 11 the name is in a code page on which readers differ; only ASCII is the same in all of them. */
function decodeName(raw: Uint8Array, isMarked: boolean): string | Refusal {
  // By default, a TextDecoder drops a leading byte order mark, and two names would become one.
  const options = { ignoreBOM: true };
  const shown = new TextDecoder('utf-8', options).decode(raw);
  if (!isMarked && raw.some((byte) => byte > 0x7f)) {
    return new Refusal(
      shown,
      `The name ${quote(shown)} is not marked as UTF-8: pack with "svc pack" or 7-Zip, or use only ASCII letters.`,
    );
  }
  try {
    return new TextDecoder('utf-8', { ...options, fatal: true }).decode(raw);
  } catch {
    return new Refusal(shown, `The name ${quote(shown)} is not valid UTF-8: rename the file.`);
  }
}
