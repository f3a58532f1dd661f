import { LIMITS, MANIFEST_FILE, type Manifest } from '@svc/contracts';

/**
 * What the dearest content known costs to inspect, in milliseconds for each kibibyte of it, measured on two cores with
 * `bench/lib/hostile-bundles.ts`. Honest content costs a fraction. A wrong guess is no danger: it only leads to another
 * lane, and each lane ends what takes too long.
 */
const MS_PER_KIB = {
  /** Names in the list of entries, which are normalised and compared. */
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

/** Cost of finding out what a zip holds. */
export const directoryMs = (bytes: number): number => (bytes / KIB) * MS_PER_KIB.directory;

/** Cost of reading a manifest. */
export const manifestMs = (bytes: number): number => (bytes / KIB) * MS_PER_KIB.manifest;

/** What a manifest names as icon and mark, whatever it holds: texts alone are paths. */
function picturePaths(manifest: unknown): Set<unknown> {
  const { icon, mark } = ((manifest as Partial<Manifest> | null)?.branding ?? {}) as Record<string, unknown>;
  return new Set([icon, mark]);
}

/**
 * What inspecting a bundle is expected to cost at most, in milliseconds, from what its list of entries declares.
 * @param sizes inflated sizes of its files, in bytes
 * @param manifest as it was parsed, whatever it holds
 */
export function inspectionMs(sizes: ReadonlyMap<string, number>, manifest: unknown): number {
  const pictures = picturePaths(manifest);
  let ms = 0;
  for (const [path, size] of sizes) {
    const kib = size / KIB;
    ms += MS_PER_FILE + kib * (SCRIPTS.test(path) ? MS_PER_KIB.script : MS_PER_KIB.other);
    // A larger one is refused unread.
    if (pictures.has(path) && size <= LIMITS.branding.iconBytes) ms += kib * MS_PER_KIB.svg;
    if (path === MANIFEST_FILE) ms += manifestMs(size);
  }
  return ms;
}
