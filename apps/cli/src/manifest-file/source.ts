import type { Issue } from '@svc/contracts';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { type Location, parseManifest } from '@svc/validator';

/** A `plugin.json` as text, and where in it a finding lies. */
export type ManifestSource = {
  /** Its lines, without their ends. */
  lines: readonly string[];
  /** Undefined for what is not about the manifest, and for all that comes after too many others. */
  placeOf(issue: Pick<Issue, 'code' | 'path'>): Location | undefined;
};

/**
 * Each place costs a reading of the text. Beyond so many UTF-16 code units the rest goes without a place: thousands of
 * findings in an ordinary manifest, but only a few in one that was made huge to keep a checker busy.
 */
const MAX_READ = 64 * 1024 * 1024;

/** Whether a finding is about the manifest: its path is a JSON Pointer then, where others carry the name of an entry. */
export const isAboutManifest = ({ code, path }: Pick<Issue, 'code' | 'path'>): boolean =>
  path === MANIFEST_FILE ||
  path.startsWith('/') ||
  (path === '' && !code.startsWith('bundle.') && code !== 'invalid_bundle');

/** Makes the bytes of a `plugin.json` ready for showing, whatever they hold. */
export function readSource(bytes: Uint8Array): ManifestSource {
  // Neither fatal nor without its byte order mark: what made the manifest unreadable is to be seen.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const reading = parseManifest(bytes);
  let left = MAX_READ;
  return {
    lines: text.split(/\r?\n/),
    placeOf(issue) {
      if (!isAboutManifest(issue)) return undefined;
      if (!reading.ok) return reading.at ?? { line: 1, column: 1 };
      left -= text.length;
      return left < 0 || issue.path === MANIFEST_FILE ? undefined : reading.locate(issue.path);
    },
  };
}
