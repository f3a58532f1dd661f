import { buildZip, type ZipEntrySpec, type ZipSpec } from '@svc/testkit';
import { expect } from 'vitest';
import { readBundle } from '../../src/index.ts';

/** A file that makes a zip otherwise sound. */
export const MANIFEST: ZipEntrySpec = { name: 'plugin.json', content: '{"id":"tester"}', method: 8 };

/** A zip of the manifest and these entries. */
export function zipWith(...entries: ZipEntrySpec[]): Uint8Array {
  return buildZip({ entries: [MANIFEST, ...entries] });
}

/** A sound zip of two files, but for what `spec` changes. */
export function zipBut(spec: Omit<Partial<ZipSpec>, 'entries'>): Uint8Array {
  return buildZip({ entries: [MANIFEST, { name: 'README.md', content: '# Tester' }], ...spec });
}

/** Asserts that a zip is refused, with one issue that blames this path in these words. */
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
