import type { Issue } from '@svc/contracts';
import type { BundleEntries } from './bundle-entries.ts';
import { checkLocalHeaders } from './read/check-local-headers.ts';
import { checkNames } from './read/check-names.ts';
import { checkSizes } from './read/check-sizes.ts';
import { inflateEntries } from './read/inflate-entries.ts';
import { parseCentralDirectory } from './read/parse-central-directory.ts';
import { parseEndRecord } from './read/parse-end-record.ts';
import { Refusal } from './refusal.ts';

/** The files of a bundle, or the one reason (code `invalid_bundle`) why no reader should open it. */
export type BundleReading = { ok: true; entries: BundleEntries } | { ok: false; issues: Issue[] };

/**
 * Reads a zip that every zip reader would read alike, and refuses any other. Never throws, whatever the bytes are;
 * inflates nothing before the whole structure is found sound; opens no zip inside the zip.
 */
export function readBundle(bytes: Uint8Array): BundleReading {
  // A Buffer's own slice() shares memory where a Uint8Array's copies, so the steps below get the plain kind.
  const result = readEntries(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return result instanceof Refusal
    ? { ok: false, issues: [result.toIssue()] }
    : { ok: true, entries: result };
}

function readEntries(bytes: Uint8Array): BundleEntries | Refusal {
  const directory = parseEndRecord(bytes);
  if (directory instanceof Refusal) return directory;

  const headers = parseCentralDirectory(bytes, directory);
  if (headers instanceof Refusal) return headers;

  const fault = checkNames(headers) ?? checkSizes(headers);
  if (fault) return fault;

  const located = checkLocalHeaders(bytes, headers, directory.offset);
  if (located instanceof Refusal) return located;

  return inflateEntries(located);
}
