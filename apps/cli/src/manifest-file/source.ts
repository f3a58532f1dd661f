import type { Issue } from '@svc/contracts';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { parseManifest } from '@svc/validator';

/**
 * Each lookup reads the text. After this many UTF-16 code units, findings get no location: this allows thousands of lookups in an
 * ordinary manifest, but only a few in one that is huge on purpose.
 */
const MAX_READ = 64 * 1024 * 1024;

/** Whether a finding is about the manifest: then its path is a JSON Pointer, otherwise the name of an entry. */
export const isAboutManifest = ({ code, path }: Pick<Issue, 'code' | 'path'>): boolean =>
  path === MANIFEST_FILE ||
  path.startsWith('/') ||
  (path === '' && !code.startsWith('bundle.') && code !== 'invalid_bundle');

/** Prepares the bytes of a `plugin.json` for display, valid or not. */
export function readSource(bytes: Uint8Array) {
  // Not fatal, and with the byte order mark: the display must show what makes the manifest unreadable.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const reading = parseManifest(bytes);
  let remaining = MAX_READ;
  return {
    /** Its lines, without line breaks. */
    lines: text.split(/\r?\n/),
    /** The location of a finding. Undefined when it is not about the manifest, or after too many lookups. */
    placeOf(issue: Pick<Issue, 'code' | 'path'>) {
      if (!isAboutManifest(issue)) return undefined;
      if (!reading.ok) return reading.at ?? { line: 1, column: 1 };
      remaining -= text.length;
      return remaining < 0 || issue.path === MANIFEST_FILE ? undefined : reading.locate(issue.path);
    },
  };
}

/** The text of a `plugin.json`, with the location of findings. */
export type ManifestSource = ReturnType<typeof readSource>;
