import { directoryBytes, openBundle } from '@svc/bundle';
import { type Issue, LIMITS, MANIFEST_FILE, Manifest } from '@svc/contracts';
import { type Localhost, parseManifest, validateBundle, validateManifest } from '@svc/validator';
import semver from 'semver';
import type { BundleRules } from '../domain/versions/inspect-bundle.ts';
import { directoryMs, inspectionMs, manifestMs } from './bundle-cost.ts';
import type { Claim } from './submit-version.ts';

/** What opening a bundle found: who says to publish what, and what an inspection is expected to cost. */
export type Opening =
  | { is: 'opened'; claim: Claim; costMs: number }
  | { is: 'refused'; code: 'invalid_bundle' | 'validation_failed'; issues: Issue[] }
  /** Opening it costs more than was allowed, in milliseconds. */
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

/** What a manifest says of itself, where it says it well: what is malformed is left to the inspection. */
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
 * Opens a bundle just far enough to know who wants to publish what. Nothing but the manifest is inflated, so that a
 * bundle of a stranger costs next to nothing. A manifest that does not say which publisher it is of is refused with all
 * that is wrong with it; the rest of such a bundle is not looked at.
 * @param bytes the zip as received
 * @param mostMs what opening it may be expected to cost
 */
export function lookInto(
  bytes: Uint8Array,
  { reservedNames, localApps }: BundleRules,
  mostMs: number,
): Opening {
  const structureMs = directoryMs(directoryBytes(bytes));
  if (structureMs > mostMs) return { is: 'costly', costMs: structureMs };
  const opening = openBundle(bytes);
  if (!opening.ok) return refused('invalid_bundle', opening.issues);
  const localhost: Localhost = localApps ? 'warn' : 'refuse';
  const checks = { mode: 'store', localhost, reservedNames } as const;
  const size = opening.sizes.get(MANIFEST_FILE);
  if (size === undefined) return refused('validation_failed', validateBundle(new Map(), checks).issues);
  const readingMs = structureMs + manifestMs(size);
  if (readingMs > mostMs) return { is: 'costly', costMs: readingMs };
  const file = opening.read(MANIFEST_FILE);
  if (!file.ok) return refused('invalid_bundle', file.issues);
  const reading = parseManifest(file.entries.get(MANIFEST_FILE) as Uint8Array);
  if (!reading.ok) return refused('validation_failed', reading.issues);
  const claim = claimOf(reading.value);
  if (claim === null) return refused('validation_failed', validateManifest(reading.value, checks));
  return { is: 'opened', claim, costMs: inspectionMs(opening.sizes, reading.value) };
}
