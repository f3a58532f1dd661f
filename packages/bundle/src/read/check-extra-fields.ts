import { crc32 } from '#deflate';
import { u16, u32, viewOf } from '../zip-format.ts';

/** The two headers that carry extra fields of their own; some fields are shorter in the central one. */
export type HeaderKind = 'local' | 'central';

type Layout = (data: Uint8Array, header: { kind: HeaderKind; rawName: Uint8Array }) => boolean;

/**
 * The allowed extra fields with their layouts: times and owners, which change neither name, type nor
 * content, and the name in Unicode. All others are refused, because a field that one
 * reader uses and another ignores gives two different files: libarchive reads a Unix mode from 0x6c78, and so a symbolic
 * link, where all other readers see a file. Layouts are those of Info-ZIP's extrafld.txt and APPNOTE 4.5, 4.6.
 */
const ALLOWED = new Map<number, Layout>([
  // NTFS (4.5.5): four reserved bytes, then one attribute with three times.
  [0x000a, (data) => data.length === 32 && u32(viewOf(data), 4) === 0x0018_0001],
  // Extended timestamp: a byte of flags, four bytes for each time; the central header may have only the first.
  [
    0x5455,
    (data, { kind }) => {
      const [flags = 0] = data;
      const lengthOf = (times: number[]) => 1 + 4 * times.filter((bit) => flags & bit).length;
      return data.length === lengthOf([1, 2, 4]) || (kind === 'central' && data.length === lengthOf([1]));
    },
  ],
  // Info-ZIP Unix, first: two times; in the local header owner and group may follow.
  [0x5855, (data, { kind }) => data.length === 8 || (kind === 'local' && data.length === 12)],
  // Info-ZIP Unix, second: owner and group, which the central header omits.
  [0x7855, (data, { kind }) => data.length === (kind === 'local' ? 4 : 0)],
  // Info-ZIP Unix, third: version 1, then owner and group, each after its length.
  [
    0x7875,
    (data) => {
      const ownerLength = data[1] ?? 0;
      return data[0] === 1 && data.length === 3 + ownerLength + (data[2 + ownerLength] ?? 0);
    },
  ],
  // Info-ZIP Unicode path (4.6.9). Readers that support it use its name if the version is 1 and the CRC matches.
  [0x7075, (data, { rawName }) => repeatsName(data, rawName)],
]);

/** Refused fields with a specific message. */
const REASONS = new Map([
  // 4.5.3
  [0x0001, 'The entry has a zip64 field: pack without zip64, which a bundle never needs.'],
  // 4.5.7, the ASi field of 4.6.1, and what libarchive writes
  [0x000d, 'The entry has a Unix field that can make it a link: pack with another tool.'],
  [0x756e, 'The entry has a Unix field that can make it a link: pack with another tool.'],
  [0x6c78, 'The entry has a Unix field that can make it a link: pack with another tool.'],
  // 4.5.12, and WinZip's AES
  [0x0017, 'The entry is encrypted: pack without a password.'],
  [0x9901, 'The entry is encrypted: pack without a password.'],
  // The mark of a JAR
  [
    0xcafe,
    'The zip is a JAR, which says so in an extra field: pack with "zip -X" or "svc pack" instead of jar.',
  ],
  [0x7075, 'The entry has a second, different name in a Unicode path field: pack with another tool.'],
]);

/** Returns the problem of the extra fields (APPNOTE 4.5.1) of a central or local header, or undefined. */
export function checkExtraFields(
  extra: Uint8Array,
  rawName: Uint8Array,
  kind: HeaderKind,
): string | undefined {
  const view = viewOf(extra);
  const seen = new Set<number>();
  for (let at = 0; at < extra.length; ) {
    const dataAt = at + 4;
    const end = dataAt > extra.length ? Number.POSITIVE_INFINITY : dataAt + u16(view, at + 2);
    if (end > extra.length) return 'The extra fields of the entry are cut off: pack with another tool.';
    const id = u16(view, at);
    const isSound = ALLOWED.get(id)?.(extra.subarray(dataAt, end), { kind, rawName });
    if (!isSound) return REASONS.get(id) ?? unlisted(id, isSound === undefined);
    // Of two fields with the same id, some readers use the first, others the last.
    if (seen.has(id)) return `The entry has the extra field ${hex(id)} twice: pack with another tool.`;
    seen.add(id);
    at = end;
  }
  return undefined;
}

function unlisted(id: number, isUnknown: boolean): string {
  return isUnknown
    ? `The entry has the extra field ${hex(id)}, which not every reader supports: pack without extra fields (zip -X).`
    : `The extra field ${hex(id)} of the entry has an invalid length, as scripts write it that copy entries of another zip: pack the files again, for example with "svc pack".`;
}

function hex(id: number): string {
  return `0x${id.toString(16).padStart(4, '0')}`;
}

function repeatsName(field: Uint8Array, rawName: Uint8Array): boolean {
  if (field.length !== 5 + rawName.length || field[0] !== 1) return false;
  if (u32(viewOf(field), 1) !== crc32(rawName)) return false;
  return rawName.every((byte, index) => byte === field[5 + index]);
}
