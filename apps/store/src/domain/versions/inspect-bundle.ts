import { readBundle } from '@svc/bundle';
import type { Issue, Manifest } from '@svc/contracts';
import { hasErrors, kindOf, type Localhost, validateBundle } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { knownScripts } from './known-scripts.ts';

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
  const pictures: Candidate['pictures'] = [];
  for (const [path, bytes] of entries) {
    if (pictures.length === MAX_README_PICTURES) break;
    if (known.has(path) || !(readme.includes(path) || readme.includes(encodeURI(path)))) continue;
    const type = imageTypeOf(bytes);
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
