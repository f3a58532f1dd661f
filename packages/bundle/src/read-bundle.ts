import type { Issue } from '@svc/contracts';
import type { BundleEntries } from './bundle-entries.ts';
import { checkLocalHeaders, type LocatedEntry } from './read/check-local-headers.ts';
import { checkNames } from './read/check-names.ts';
import { checkSizes } from './read/check-sizes.ts';
import { inflateEntries, onlyFolders } from './read/inflate-entries.ts';
import { parseCentralDirectory } from './read/parse-central-directory.ts';
import { parseEndRecord } from './read/parse-end-record.ts';
import { Refusal } from './refusal.ts';

/** The files of a bundle, or the one reason (code `invalid_bundle`) why no reader should open it. */
export type BundleReading =
  | {
      ok: true;
      entries: BundleEntries;
      /** The same files as they stand in the zip, deflated or stored: views of its bytes. */
      packed: BundleEntries;
    }
  | { ok: false; issues: Issue[] };

/** A bundle whose structure is sound and of which nothing was inflated, or the one reason why no reader should open it. */
export type BundleOpening =
  | {
      ok: true;
      /** Declared sizes of the files, in bytes, by path. */
      sizes: ReadonlyMap<string, number>;
      /** Inflates one file, and proves its size and checksum. A path that the bundle does not have is a refusal too. */
      read(path: string): BundleReading;
    }
  | { ok: false; issues: Issue[] };

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
 * Reads a zip that every zip reader would read alike, and refuses any other. Never throws, whatever the bytes are;
 * inflates nothing before the whole structure is found sound; opens no zip inside the zip.
 */
export function readBundle(bytes: Uint8Array): BundleReading {
  const located = locateEntries(plain(bytes));
  return located instanceof Refusal ? refused(located) : inflate(located);
}

/**
 * Opens a zip as `readBundle` does, and stops before anything is inflated: for a caller that needs one file, and wants to
 * know what the others would cost. Never throws.
 */
export function openBundle(bytes: Uint8Array): BundleOpening {
  const located = locateEntries(plain(bytes));
  if (located instanceof Refusal) return refused(located);
  const files = new Map(
    located.filter(({ header }) => !header.isFolder).map((entry) => [entry.header.name, entry]),
  );
  if (files.size === 0) return refused(onlyFolders());
  return {
    ok: true,
    sizes: new Map(Array.from(files, ([name, { header }]) => [name, header.size])),
    read(path) {
      const found = files.get(path);
      return found ? inflate([found]) : refused(new Refusal(path, 'The bundle has no such file.'));
    },
  };
}

/** Bytes of a zip's list of entries, as its end record declares them; 0 when it cannot be read. */
export function directoryBytes(bytes: Uint8Array): number {
  const directory = parseEndRecord(plain(bytes));
  return directory instanceof Refusal ? 0 : directory.end - directory.offset;
}

function locateEntries(bytes: Uint8Array): LocatedEntry[] | Refusal {
  const directory = parseEndRecord(bytes);
  if (directory instanceof Refusal) return directory;

  const headers = parseCentralDirectory(bytes, directory);
  if (headers instanceof Refusal) return headers;

  const fault = checkNames(headers) ?? checkSizes(headers);
  if (fault) return fault;

  return checkLocalHeaders(bytes, headers, directory.offset);
}
