import { directoryBytes, openBundle } from '@svc/bundle';
import { type Issue, LIMITS, MANIFEST_FILE, Manifest } from '@svc/contracts';
import { type Localhost, parseManifest, validateBundle, validateManifest } from '@svc/validator';
import semver from 'semver';
import type { BundleRules } from '../domain/versions/inspect-bundle.ts';
import type { Claim } from './submit-version.ts';

/**
 * The inspection cost of the most expensive known content, in milliseconds per kibibyte, measured on two cores with
 * `tools/lib/hostile-bundles.ts`. Ordinary content costs a fraction. A wrong estimate is harmless: it only selects another queue, and
 * each queue enforces its limit.
 */
const MS_PER_KIB = {
  /** Names of zip entries, which are normalised and compared. */
  directory: 0.3,
  manifest: 0.8,
  /** Pictures that may turn out to be SVG. */
  svg: 0.45,
  script: 0.06,
  /** Inflating, checksums, magic bytes. */
  other: 0.006,
};

const MS_PER_FILE = 0.2;

const KIB = 1024;

const SCRIPTS = /\.(?:js|mjs|cjs|html|htm|svg)$/i;

/** The cost of reading the central directory of a zip. */
const directoryMs = (bytes: number): number => (bytes / KIB) * MS_PER_KIB.directory;

/** The cost of reading a manifest. */
const manifestMs = (bytes: number): number => (bytes / KIB) * MS_PER_KIB.manifest;

/** The paths of icon and mark in an unvalidated manifest. Other values never match a path. */
function picturePaths(manifest: unknown): Set<unknown> {
  const { icon, mark } = ((manifest as Partial<Manifest> | null)?.branding ?? {}) as Record<string, unknown>;
  return new Set([icon, mark]);
}

/**
 * The estimated maximum cost of an inspection, in milliseconds, from the declared sizes.
 * @param sizes inflated sizes of its files, in bytes
 * @param manifest the parsed manifest, not validated
 */
export function inspectionMs(sizes: ReadonlyMap<string, number>, manifest: unknown): number {
  const pictures = picturePaths(manifest);
  let ms = 0;
  for (const [path, size] of sizes) {
    const kib = size / KIB;
    ms += MS_PER_FILE + kib * (SCRIPTS.test(path) ? MS_PER_KIB.script : MS_PER_KIB.other);
    // A larger picture is refused without being read.
    if (pictures.has(path) && size <= LIMITS.branding.iconBytes) ms += kib * MS_PER_KIB.svg;
    if (path === MANIFEST_FILE) ms += manifestMs(size);
  }
  return ms;
}

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
