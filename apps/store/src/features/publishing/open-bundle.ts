import { directoryBytes, openBundle } from '@svc/bundle';
import { type Issue, LIMITS, MANIFEST_FILE, Manifest } from '@svc/contracts';
import { type Localhost, parseManifest, validateBundle, validateManifest } from '@svc/validator';
import semver from 'semver';
import type { BundleRules } from '../../domain/versions/inspect-bundle.ts';
import { directoryMs, inspectionMs, manifestMs } from './bundle-cost.ts';
import type { Claim } from './submit-version.ts';

/** The result of opening a bundle: its claim and the estimated cost of its inspection, or a refusal. */
export type Opening =
  | { is: 'opened'; claim: Claim; costMs: number }
  | { is: 'refused'; code: 'invalid_bundle' | 'validation_failed'; issues: Issue[] }
  /** The estimated cost of opening it exceeds the limit. In milliseconds. */
  | { is: 'costly'; costMs: number };

const refused = (
  code: 'invalid_bundle' | 'validation_failed',
  issues: readonly Issue[],
): Extract<Opening, { is: 'refused' }> => ({
  is: 'refused',
  code,
  issues: issues.filter(({ level }) => level === 'error'),
});

const textIn = (manifest: unknown, key: string): string | null => {
  const value = (manifest as Record<string, unknown> | null)?.[key];
  return typeof value === 'string' ? value : null;
};

/** The publisher, id and version of a manifest. Malformed values are null; the inspection reports them. */
function claimOf(manifest: unknown): Claim | null {
  const publisher = textIn(manifest, 'publisher') ?? '';
  if (publisher === '' || publisher.length > LIMITS.manifest.publisher) return null;
  return {
    publisher,
    id: Manifest.shape.id.safeParse(textIn(manifest, 'id')).data ?? null,
    version: semver.valid(textIn(manifest, 'version')) && textIn(manifest, 'version'),
  };
}

/**
 * Opens an uploaded bundle and reads its claim. Only the manifest is inflated, so that a bundle whose uploader has no permission costs
 * little. A manifest without a publisher is refused with all of its errors; the rest of such a bundle is not checked.
 * @param bytes the zip as received
 * @param maxMs the maximum estimated cost of opening it, in milliseconds
 */
export function openUpload(
  bytes: Uint8Array,
  { reservedNames, localApps }: BundleRules,
  maxMs: number,
): Opening {
  const structureMs = directoryMs(directoryBytes(bytes));
  if (structureMs > maxMs) return { is: 'costly', costMs: structureMs };
  const opening = openBundle(bytes);
  if (!opening.ok) return refused('invalid_bundle', opening.issues);
  const localhost: Localhost = localApps ? 'warn' : 'refuse';
  const checks = { mode: 'store', localhost, reservedNames } as const;
  const size = opening.sizes.get(MANIFEST_FILE);
  if (size === undefined) return refused('validation_failed', validateBundle(new Map(), checks).issues);
  const readingMs = structureMs + manifestMs(size);
  if (readingMs > maxMs) return { is: 'costly', costMs: readingMs };
  const file = opening.read(MANIFEST_FILE);
  if (!file.ok) return refused('invalid_bundle', file.issues);
  const reading = parseManifest(file.entries.get(MANIFEST_FILE) as Uint8Array);
  if (!reading.ok) return refused('validation_failed', reading.issues);
  const claim = claimOf(reading.value);
  if (claim === null) return refused('validation_failed', validateManifest(reading.value, checks));
  return { is: 'opened', claim, costMs: inspectionMs(opening.sizes, reading.value) };
}
