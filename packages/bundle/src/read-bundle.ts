import type { Issue } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { crc32, inflateRaw } from '#deflate';
import type { BundleEntries } from './bundle-entries.ts';
import type { InflateFault } from './deflate/inflate-fault.ts';
import { checkLocalHeaders, type LocatedEntry } from './read/check-local-headers.ts';
import { checkNames } from './read/check-names.ts';
import { checkSizes } from './read/check-sizes.ts';
import { parseCentralDirectory } from './read/parse-central-directory.ts';
import { parseEndRecord } from './read/parse-end-record.ts';
import { Refusal } from './refusal.ts';
import { METHOD } from './zip-format.ts';

const MESSAGES = {
  damaged: 'The compressed bytes are damaged or end too soon: pack again.',
  longer: 'The entry inflates to more than its declared size: pack again.',
  shorter: 'The entry inflates to less than its declared size: pack again.',
  trailing: 'The compressed data is followed by hidden bytes: pack again.',
} as const satisfies Record<InflateFault, string>;

/** Inflates the files and verifies sizes (APPNOTE 4.4.9) and checksums (4.4.7); folders are verified, then omitted. */
function inflateEntries(located: readonly LocatedEntry[]): BundleEntries | Refusal {
  const entries = new Map<string, Uint8Array>();
  for (const { header, packed } of located) {
    const content = header.method === METHOD.stored ? packed : inflateRaw(packed, header.size);
    if (typeof content === 'string') return new Refusal(header.name, MESSAGES[content]);
    if (crc32(content) !== header.crc) {
      return new Refusal(
        header.name,
        'The checksum of the entry is wrong, so the zip is damaged: pack or upload it again.',
      );
    }
    if (!header.isFolder) entries.set(header.name, content);
  }
  return entries.size === 0 ? onlyFolders() : entries;
}

/** The refusal of a zip without a file. */
const onlyFolders = (): Refusal =>
  new Refusal('', 'The zip contains only folders: it must contain at least plugin.json.');

/** The files of a bundle, or one issue (code `invalid_bundle`) that says why it is invalid. */
export type BundleReading =
  | {
      ok: true;
      entries: BundleEntries;
      /** The same files as in the zip, deflated or stored: views of its bytes. */
      packed: BundleEntries;
    }
  | { ok: false; issues: Issue[] };

/** A bundle with a valid structure, of which nothing is inflated yet, or one issue that says why it is invalid. */
export type BundleOpening =
  | {
      ok: true;
      /** Declared sizes of the files, in bytes, by path. */
      sizes: ReadonlyMap<string, number>;
      /** Inflates a file, and verifies its size and checksum. A missing path is a refusal too. */
      read(path: string): BundleReading;
    }
  | { ok: false; issues: Issue[] };

/** Most entries of a zip, and most bytes of all its files. */
export type ZipLimits = { readonly entries: number; readonly inflatedBytes: number };

/** A Buffer's own slice() shares memory where a Uint8Array's copies, so the steps below get the plain kind. */
const plain = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const refused = (refusal: Refusal): { ok: false; issues: Issue[] } => ({
  ok: false,
  issues: [refusal.toIssue()],
});

function inflate(located: readonly LocatedEntry[]): BundleReading {
  const entries = inflateEntries(located);
  if (entries instanceof Refusal) return refused(entries);
  const files = located.filter(({ header }) => !header.isFolder);
  return { ok: true, entries, packed: new Map(files.map(({ header, packed }) => [header.name, packed])) };
}

/**
 * Reads a zip that all zip readers read alike, and refuses any other. Never throws;
 * validates the whole structure before it inflates anything; does not open zips inside the zip.
 */
export function readBundle(bytes: Uint8Array): BundleReading {
  const located = locateEntries(plain(bytes));
  return located instanceof Refusal ? refused(located) : inflate(located);
}

/**
 * Opens a zip like `readBundle`, but inflates nothing: for a caller that needs one file, and the sizes of the others. Never
 * throws.
 * @param limits of a zip that is no bundle
 */
export function openBundle(bytes: Uint8Array, limits: ZipLimits = LIMITS.bundle): BundleOpening {
  const located = locateEntries(plain(bytes), limits);
  if (located instanceof Refusal) return refused(located);
  const files = new Map(
    located.filter(({ header }) => !header.isFolder).map((entry) => [entry.header.name, entry]),
  );
  if (files.size === 0) return refused(onlyFolders());
  return {
    ok: true,
    sizes: new Map(Array.from(files, ([name, { header }]) => [name, header.size])),
    read(path) {
      const file = files.get(path);
      return file ? inflate([file]) : refused(new Refusal(path, 'The bundle has no such file.'));
    },
  };
}

/** Size of a zip's central directory in bytes, as its end record declares; 0 when the record is invalid. */
export function directoryBytes(bytes: Uint8Array): number {
  const directory = parseEndRecord(plain(bytes), LIMITS.bundle.entries);
  return directory instanceof Refusal ? 0 : directory.end - directory.offset;
}

function locateEntries(bytes: Uint8Array, limits: ZipLimits = LIMITS.bundle): LocatedEntry[] | Refusal {
  const directory = parseEndRecord(bytes, limits.entries);
  if (directory instanceof Refusal) return directory;

  const headers = parseCentralDirectory(bytes, directory);
  if (headers instanceof Refusal) return headers;

  const fault = checkNames(headers) ?? checkSizes(headers, limits.inflatedBytes);
  if (fault) return fault;

  return checkLocalHeaders(bytes, headers, directory.offset);
}
