import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { buildZip, bytesOf, extraField, interopJson, type ZipEntrySpec } from '@svc/testkit';
import { deflateSync } from 'fflate';

/** One zip, and the result that every reader of bundles must return. */
export interface Vector {
  file: string;
  verdict: 'accept' | 'refuse';
  why: string;
  /** The files of an accepted zip, in order. */
  files?: { name: string; sha256: string }[];
}

interface Sample {
  why: string;
  zip: Uint8Array;
  /** Content by name if the zip must be accepted. */
  files?: Record<string, string | Uint8Array>;
}

const MANIFEST: ZipEntrySpec = { name: 'plugin.json', content: '{}' };
const FILES = { 'plugin.json': '{}' };
const PAGE = '<p>hello</p>'.repeat(20);
/** fflate's bytes are the same on every machine; those of zlib depend on its version. */
const PACKED_PAGE = deflateSync(new TextEncoder().encode(PAGE), { level: 9, mem: 8 });
const DEFLATED: ZipEntrySpec = { name: 'ui/index.html', content: PAGE, method: 8, packed: PACKED_PAGE };

const INNER = buildZip({ entries: [{ name: '../evil', content: 'x' }] });

const zip = (...entries: ZipEntrySpec[]) => buildZip({ entries: [MANIFEST, ...entries] });
const both = (fields: NonNullable<ZipEntrySpec['central']>) => ({ local: fields, central: fields });
const record = (entry: ZipEntrySpec) => buildZip({ entries: [{ ...entry, hidden: true }] }).slice(0, -22);

const facts = (content: string | Uint8Array) => {
  const bytes = bytesOf(content);
  return { crc: crc32(bytes), compressedSize: bytes.length, size: bytes.length };
};

const TIMESTAMP_FIELD = extraField(0x5455, bytesOf([1, 0, 0, 0, 0]));
const OWNER_FIELD = extraField(0x7875, bytesOf([1, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0]));
const NTFS_FIELD = extraField(0x000a, bytesOf([0, 0, 0, 0, 1, 0, 24, 0], new Uint8Array(24)));
/** The version, the CRC-32 of `a`, and `a`. */
const SAME_NAME_FIELD = extraField(0x7075, bytesOf([1, 0x43, 0xbe, 0xb7, 0xe8], 'a'));

/** Bytes that a streaming reader mistakes for the end of an empty entry, and another entry after them. */
const SMUGGLER = bytesOf('PK\x07\x08', new Uint8Array(12), record({ name: 'evil.js', content: 'x' }));

const ACCEPTED: Record<string, Sample> = {
  'accept-stored': { why: 'one stored file', zip: zip(), files: FILES },
  'accept-deflated': {
    why: 'one deflated file',
    zip: zip(DEFLATED),
    files: { ...FILES, 'ui/index.html': PAGE },
  },
  'accept-folders': {
    why: 'folders have entries of their own and are no files',
    zip: zip({ name: 'ui/', externalAttributes: 0x10 }, DEFLATED),
    files: { ...FILES, 'ui/index.html': PAGE },
  },
  'accept-descriptor-signed': {
    why: 'written as a stream: sizes follow the data',
    zip: zip({ ...DEFLATED, descriptor: 'signed' }),
    files: { ...FILES, 'ui/index.html': PAGE },
  },
  'accept-descriptor-unsigned': {
    why: 'the signature of a data descriptor is optional',
    zip: zip({ ...DEFLATED, descriptor: 'unsigned' }),
    files: { ...FILES, 'ui/index.html': PAGE },
  },
  'accept-utf8-name': {
    why: 'a name beyond ASCII, marked as UTF-8',
    zip: zip({ name: 'assets/日本.txt', content: 'x' }),
    files: { ...FILES, 'assets/日本.txt': 'x' },
  },
  'accept-extra-fields': {
    why: 'extra fields for times, owners and the same name once more',
    zip: zip({
      name: 'a',
      content: 'x',
      local: { extra: bytesOf(TIMESTAMP_FIELD, OWNER_FIELD, SAME_NAME_FIELD) },
      central: { extra: bytesOf(TIMESTAMP_FIELD, OWNER_FIELD, NTFS_FIELD, SAME_NAME_FIELD) },
    }),
    files: { ...FILES, a: 'x' },
  },
  'accept-extra-fields-old': {
    why: 'extra fields of older Info-ZIP, which are shorter in the central header',
    zip: zip({
      name: 'a',
      content: 'x',
      local: {
        extra: bytesOf(extraField(0x5855, new Uint8Array(12)), extraField(0x7855, new Uint8Array(4))),
      },
      central: {
        extra: bytesOf(extraField(0x5855, new Uint8Array(8)), extraField(0x7855, new Uint8Array(0))),
      },
    }),
    files: { ...FILES, a: 'x' },
  },
  'accept-nested-zip': {
    why: 'a zip inside is bytes like any other',
    zip: zip({ name: 'assets/inner.zip', content: INNER }),
    files: { ...FILES, 'assets/inner.zip': INNER },
  },
};

const REFUSED: Record<string, Sample> = {
  'refuse-empty': { why: 'no entry', zip: buildZip({ entries: [] }) },
  'refuse-prefix': { why: 'bytes before', zip: buildZip({ entries: [MANIFEST], prefix: bytesOf('MZ') }) },
  'refuse-prefix-shifted': {
    why: 'bytes before, with offsets that count them',
    zip: buildZip({ entries: [MANIFEST], prefix: bytesOf('MZ'), shiftOffsets: true }),
  },
  'refuse-suffix': { why: 'bytes after', zip: buildZip({ entries: [MANIFEST], suffix: bytesOf('x') }) },
  'refuse-comment': {
    why: 'an archive comment',
    zip: buildZip({ entries: [MANIFEST], end: { comment: bytesOf('x') } }),
  },
  'refuse-second-archive': { why: 'an archive after the archive', zip: bytesOf(zip(), zip()) },
  'refuse-zip64-field': {
    why: 'a zip64 field',
    zip: zip({ name: 'a', extra: extraField(1, new Uint8Array(16)) }),
  },
  'refuse-extra-field-link': {
    why: 'a local extra field of libarchive that makes the file a symbolic link for it alone',
    zip: zip({
      name: 'a',
      content: '/etc/passwd',
      local: { extra: extraField(0x6c78, bytesOf([5, 20, 3, 0, 0, 0xff, 0xa1])) },
    }),
  },
  'refuse-extra-field-unknown': {
    why: 'an extra field that is not on the list',
    zip: zip({ name: 'a', extra: extraField(0xcafe, new Uint8Array(0)) }),
  },
  'refuse-extra-field-length': {
    why: 'an extended timestamp shorter than its flags say',
    zip: zip({ name: 'a', local: { extra: extraField(0x5455, bytesOf([3, 0, 0, 0, 0])) } }),
  },
  'refuse-extra-field-cut-off': {
    why: 'extra fields that end before the last one does',
    zip: zip({ name: 'a', central: { extra: TIMESTAMP_FIELD.slice(0, -1) } }),
  },
  'refuse-extra-field-twice': {
    why: 'an extra field twice in one header',
    zip: zip({ name: 'a', extra: bytesOf(SAME_NAME_FIELD, SAME_NAME_FIELD) }),
  },
  'refuse-version-suffix': {
    why: 'a name with a version of VMS, which some readers take off',
    zip: zip({ name: 'a;1' }),
  },
  'refuse-comment-not-utf8': {
    why: 'a comment of an entry that is not UTF-8, over which some readers fail',
    zip: zip({ name: 'a', central: { comment: Uint8Array.of(0xff) } }),
  },
  'refuse-zip64-locator': {
    why: 'a zip64 locator, in the comment of the last entry',
    zip: zip({ name: 'a', central: { comment: bytesOf('PK\x06\x07', new Uint8Array(16)) } }),
  },
  'refuse-split': {
    why: 'part of a split archive',
    zip: buildZip({ entries: [MANIFEST], end: { disk: 1 } }),
  },
  'refuse-duplicate': { why: 'one name twice', zip: zip({ ...MANIFEST, content: '[]' }) },
  'refuse-case-twin': { why: 'names equal but for case', zip: zip({ name: 'Plugin.JSON' }) },
  'refuse-normal-form-twin': { why: 'names equal in NFC', zip: zip({ name: 'é' }, { name: 'e\u0301' }) },
  'refuse-decomposed-name': {
    why: 'a name not in NFC, which some readers compose',
    zip: zip({ name: 'e\u0301' }),
  },
  'refuse-file-and-folder': { why: 'a path both file and folder', zip: zip({ name: 'a' }, { name: 'a/b' }) },
  'refuse-local-name': {
    why: 'two names for one entry',
    zip: zip({ name: 'a', local: { name: bytesOf('b') } }),
  },
  'refuse-local-size': { why: 'two sizes for one entry', zip: zip({ name: 'a', local: { size: 9 } }) },
  'refuse-hidden-entry': { why: 'an entry that the directory lacks', zip: zip({ name: 'a', hidden: true }) },
  'refuse-stored-descriptor': {
    why: 'stored, of a size known in front, yet with an unsigned data descriptor: some streaming readers search for it',
    zip: zip({ name: 'a', content: 'x', descriptor: 'unsigned', local: facts('x') }),
  },
  'refuse-stored-descriptor-inside': {
    why: 'stored, of a size known in front, with a data descriptor and an entry inside its content',
    zip: zip({ name: 'a', content: SMUGGLER, descriptor: 'signed', local: facts(SMUGGLER) }),
  },
  'refuse-overlap': {
    why: 'an entry inside another',
    zip: zip(
      { name: 'a', content: record({ name: 'b', content: 'x' }) },
      { name: 'b', content: 'x', centralOnly: true, central: { offset: record(MANIFEST).length + 31 } },
    ),
  },
  'refuse-encrypted': { why: 'an encrypted entry', zip: zip({ name: 'a', flags: 0x0801 }) },
  'refuse-bzip2': { why: 'a method few readers know', zip: zip({ name: 'a', method: 12 }) },
  'refuse-symlink': {
    why: 'a symbolic link',
    zip: zip({ name: 'a', content: '/etc/passwd', externalAttributes: (0o120777 << 16) >>> 0 }),
  },
  'refuse-absolute': { why: 'an absolute name', zip: zip({ name: '/etc/passwd' }) },
  'refuse-dot-dot': { why: 'a name that climbs', zip: zip({ name: '../a' }) },
  'refuse-backslash': { why: 'a backslash', zip: zip({ name: 'ui\\a' }) },
  'refuse-drive': { why: 'a drive letter', zip: zip({ name: 'C:a' }) },
  'refuse-unmarked-utf8': {
    why: 'a name beyond ASCII, not marked as UTF-8',
    zip: zip({ name: 'ü', flags: 0 }),
  },
  'refuse-unicode-path': {
    why: 'a Unicode path field with another name',
    zip: zip({ name: 'a', extra: extraField(0x7075, bytesOf([1, 0x43, 0xbe, 0xb7, 0xe8], 'b')) }),
  },
  'refuse-crc': { why: 'a wrong checksum', zip: zip({ name: 'a', content: 'x', ...both({ crc: 1 }) }) },
  'refuse-inflates-longer': {
    why: 'more bytes than declared',
    zip: zip({ ...DEFLATED, ...both({ size: 9 }) }),
  },
  'refuse-inflates-shorter': {
    why: 'fewer bytes than declared',
    zip: zip({ ...DEFLATED, ...both({ size: 999 }) }),
  },
  'refuse-trailing-data': {
    why: 'bytes after the deflate stream',
    zip: zip({ ...DEFLATED, packed: bytesOf(PACKED_PAGE, 'x') }),
  },
  'refuse-bomb': {
    why: 'over 200:1 past 1 MiB',
    zip: zip({
      ...{ name: 'a', method: 8, content: new Uint8Array(2 ** 20 + 1) },
      packed: deflateSync(new Uint8Array(2 ** 20 + 1), { level: 9, mem: 8 }),
    }),
  },
};

/** Every vector, as vectors.json lists it. */
export function vectors(): Vector[] {
  return Object.entries({ ...ACCEPTED, ...REFUSED }).map(([name, { why, files }]) => ({
    file: `${name}.zip`,
    verdict: files ? 'accept' : 'refuse',
    why,
    ...(files && {
      files: Object.entries(files).map(([path, content]) => ({ name: path, sha256: sha256(content) })),
    }),
  }));
}

/** The files of the vectors by name, including vectors.json. */
export function vectorFiles(): Map<string, Uint8Array> {
  const zips = Object.entries({ ...ACCEPTED, ...REFUSED }).map(
    ([name, sample]) => [`${name}.zip`, sample.zip] as const,
  );
  return new Map([...zips, ['vectors.json', interopJson(vectors())]]);
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
