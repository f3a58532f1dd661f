import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { readBundle } from '@svc/bundle';
import type { Issue, Manifest } from '@svc/contracts';
import { hasErrors, kindOf, type Localhost, type PlainScripts, validateBundle } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';

/** Bytes of a SHA-256. */
const DIGEST = 32;

/** Maximum digests in memory: half a megabyte. A newer one replaces an older one. */
const SLOTS = 16_384;

/**
 * Creates a memory of files without disguised scripts, which threads share: most scripts of an update are those of the previous version. It
 * lasts as long as the process, so that a newer version of the search never relies on results of an older one.
 */
export const newScriptMemory = (): SharedArrayBuffer => new SharedArrayBuffer(SLOTS * DIGEST);

type Files = ReadonlyMap<string, Uint8Array>;

/**
 * Looks up the scripts of a bundle in the memory. When two threads write a digest at the same time, the result matches no file.
 * @param memory a memory of `newScriptMemory`
 * @param entries the files
 * @param packed the same files as compressed in the zip, which are fewer bytes to hash, and always inflate to the same file
 */
export function knownScripts(memory: SharedArrayBuffer, entries: Files, packed: Files): PlainScripts {
  const digests = Buffer.from(memory);
  const digestOf = (path: string): Buffer => {
    const [bytes, compressed] = [entries.get(path), packed.get(path)];
    if (!bytes || !compressed) throw new RangeError(`The bundle has no file ${path}.`);
    // The same bytes are different files when stored and when deflated, and the extension determines what is a script.
    const kind = `${extname(path).toLowerCase()} ${bytes === compressed} ${bytes.byteLength}\0`;
    return createHash('sha256').update(kind).update(compressed).digest();
  };
  const slotOf = (digest: Buffer): Buffer => {
    const at = (digest.readUInt32LE() % SLOTS) * DIGEST;
    return digests.subarray(at, at + DIGEST);
  };
  const digestsByPath = new Map<string, Buffer>();
  return {
    has(path) {
      const digest = digestOf(path);
      digestsByPath.set(path, digest);
      return slotOf(digest).equals(digest);
    },
    add(path) {
      const digest = digestsByPath.get(path) ?? digestOf(path);
      slotOf(digest).set(digest);
    },
  };
}

/** The root of an SVG, with any prefix. The checks have already parsed the document; this only determines its type. */
const SVG_ROOT = /<(?:[\w.-]+:)?svg[\s/>]/;

/**
 * Determines the media type of an image by its bytes, regardless of its name; null for types that a listing cannot have. It only decides
 * the `Content-Type`: the checks and the CSP make the picture harmless.
 */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const { format } = kindOf(bytes);
  if (format === 'other') return null;
  if (format !== 'markup') return `image/${format}`;
  const text = new TextDecoder().decode(bytes);
  return /^\s*</.test(text) && SVG_ROOT.test(text) ? 'image/svg+xml' : null;
}

/** READMEs show recordings of a screen as GIFs; a listing cannot. */
const isGif = (bytes: Uint8Array): boolean =>
  /^GIF8[79]a$/.test(String.fromCharCode(...bytes.subarray(0, 6)));

/** A bundle that passed the store's checks. */
export type Candidate = {
  manifest: Manifest;
  /** Warnings only. */
  issues: Issue[];
  readme: string;
  changelog: string;
  /** The pictures that the branding or the README names, with the type that their bytes have. */
  pictures: { path: string; type: string; bytes: Uint8Array; inReadme?: true }[];
};

/** The rules for apps that differ between stores. */
export type BundleRules = {
  /** Names that an app may not use, in addition to the built-in ones. */
  reservedNames: readonly string[];
  /** Whether servers on localhost are a warning and not an error. */
  localApps: boolean;
  /** Scripts that were already searched; every script is searched when omitted. */
  scriptMemory?: SharedArrayBuffer;
};

/** The result of the store's checks: a candidate, or why the bundle is refused. */
export type Inspection =
  | { ok: true; candidate: Candidate }
  | { ok: false; code: 'invalid_bundle' | 'validation_failed'; issues: Issue[] };

/** Called with the next stage, so that each stage can have its own time limit. */
export type OnStage = (stage: 'pictures' | 'files') => void;

const textOf = (bytes: Uint8Array | undefined): string => (bytes ? new TextDecoder().decode(bytes) : '');

function picturesOf(
  { branding: { icon, mark, screenshots = [] } }: Manifest,
  entries: ReadonlyMap<string, Uint8Array>,
): Candidate['pictures'] {
  return [...new Set([icon, ...(mark ? [mark] : []), ...screenshots])].flatMap((path) => {
    const bytes = entries.get(path);
    const type = bytes && imageTypeOf(bytes);
    return type ? [{ path, type, bytes }] : [];
  });
}

/** The most pictures of a README that are stored: a README that shows more is a gallery. */
const MAX_README_PICTURES = 50;

/** The pictures besides those of the branding whose path the README contains, as written or encoded for a URL. */
function readmePicturesOf(
  readme: string,
  branding: Candidate['pictures'],
  entries: ReadonlyMap<string, Uint8Array>,
): Candidate['pictures'] {
  const known = new Set(branding.map(({ path }) => path));
  const text = readme.normalize('NFC');
  const pictures: Candidate['pictures'] = [];
  for (const [path, bytes] of entries) {
    if (pictures.length === MAX_README_PICTURES) break;
    if (known.has(path) || !(text.includes(path) || text.includes(encodeURI(path)))) continue;
    const type = imageTypeOf(bytes) ?? (isGif(bytes) ? 'image/gif' : null);
    if (type) pictures.push({ path, type, bytes, inReadme: true });
  }
  return pictures;
}

/**
 * Opens a bundle and runs the store's checks on it.
 * @param bytes the zip as received
 * @param rules the rules of this store
 * @param onStage called before the manifest and the pictures it names are checked, and before all files are
 */
export function inspectBundle(
  bytes: Uint8Array,
  { reservedNames, localApps, scriptMemory }: BundleRules,
  onStage: OnStage = () => {},
): Inspection {
  const reading = readBundle(bytes);
  if (!reading.ok) return { ok: false, code: 'invalid_bundle', issues: reading.issues };
  const { entries, packed } = reading;
  const localhost: Localhost = localApps ? 'warn' : 'refuse';
  const plainScripts = scriptMemory && { plainScripts: knownScripts(scriptMemory, entries, packed) };
  const checks = { mode: 'store', localhost, reservedNames, ...plainScripts } as const;
  onStage('pictures');
  const beforeFiles = () => onStage('files');
  const verdict = validateBundle(entries, { ...checks, size: bytes.byteLength, beforeFiles });
  if (hasErrors(verdict.issues)) return { ok: false, code: 'validation_failed', issues: verdict.issues };
  const manifest = asManifest(verdict.manifest, localhost);
  const readme = textOf(entries.get('README.md'));
  const branding = picturesOf(manifest, entries);
  const candidate: Candidate = {
    manifest,
    issues: verdict.issues,
    readme,
    changelog: textOf(entries.get('CHANGELOG.md')),
    pictures: [...branding, ...readmePicturesOf(readme, branding, entries)],
  };
  return { ok: true, candidate };
}
