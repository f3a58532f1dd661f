import { Refusal } from '../refusal.ts';
import { FLAG, METHOD, UNIX_TYPE, ZIP64_MARK } from '../zip-format.ts';
import type { CentralHeader } from './central-header.ts';
import { checkExtraFields } from './check-extra-fields.ts';

/** APPNOTE 4.4.3.2: every reader supports versions up to 4.5; later ones add methods and ciphers that are refused anyway. */
const NEWEST_VERSION = 45;

/** 4.4.4: any other bit means encryption, patch data, masked headers, or something that readers interpret differently. */
const KNOWN_FLAGS = FLAG.deflateLevel | FLAG.descriptor | FLAG.utf8;

/** DOS attributes, the lower half of the external attributes (4.4.15). */
const DOS = { volumeLabel: 0x08, folder: 0x10, device: 0x40, reparsePoint: 0x400 } as const;

/** Refuses an entry whose central header needs a feature that readers handle differently. */
export function checkEntry(header: CentralHeader): Refusal | undefined {
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
