import { buildZip, type ZipEntrySpec, type ZipSpec } from '@svc/testkit';
import { expect } from 'vitest';
import { readBundle } from '../../src/index.ts';

/** A valid entry, so that only the other entries of a zip decide the result. */
export const MANIFEST: ZipEntrySpec = { name: 'plugin.json', content: '{"id":"tester"}', method: 8 };

/** A zip of the manifest and these entries. */
export function zipWith(...entries: ZipEntrySpec[]): Uint8Array {
  return buildZip({ entries: [MANIFEST, ...entries] });
}

/** A valid zip of two files, except for the changes in `spec`. */
export function zipBut(spec: Omit<Partial<ZipSpec>, 'entries'>): Uint8Array {
  return buildZip({ entries: [MANIFEST, { name: 'README.md', content: '# Tester' }], ...spec });
}

/** Asserts that a zip is refused with one issue that has this path and a matching message. */
export function expectRefused(zip: Uint8Array, path: string, message: RegExp): void {
  expect(readBundle(zip)).toEqual({
    ok: false,
    issues: [{ code: 'invalid_bundle', level: 'error', path, message: expect.stringMatching(message) }],
  });
}

/** Asserts that a zip is accepted, with these files in this order. */
export function expectFiles(zip: Uint8Array, files: Record<string, string>): void {
  const reading = readBundle(zip);
  if (!reading.ok) throw new Error(JSON.stringify(reading.issues));
  const decoder = new TextDecoder();
  const found = [...reading.entries].map(([name, bytes]) => [name, decoder.decode(bytes)]);
  expect(found).toEqual(Object.entries(files));
}
