import { LIMITS, MANIFEST_FILE, type Manifest } from '@svc/contracts';

/**
 * The inspection cost of the most expensive known content, in milliseconds per kibibyte, measured on two cores with
 * `tools/lib/hostile-bundles.ts`. Ordinary content costs a fraction. A wrong estimate is harmless: it only selects another lane, and
 * each lane enforces its limit.
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
export const directoryMs = (bytes: number): number => (bytes / KIB) * MS_PER_KIB.directory;

/** The cost of reading a manifest. */
export const manifestMs = (bytes: number): number => (bytes / KIB) * MS_PER_KIB.manifest;

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
