import { randomBytes } from 'node:crypto';
import { buildZip, sampleFiles, sampleManifest } from '@svc/testkit';
import { disguised } from '../../lib/hostile-bundles.ts';

const MiB = 2 ** 20;

/** Expensive content, built once: script, image, manifest. */
const SCRIPT = disguised(24 * MiB);
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">${'<g/>'.repeat(MiB / 4 - 50)}</svg>`;
const KEYS = Object.fromEntries(Array.from({ length: 80_000 }, (_, n) => [n.toString(36).padStart(6), 1]));

/** A file in a forbidden place: the bundle is checked completely and then refused, so that it can be sent again. */
const REFUSED = { 'elsewhere/file.txt': 'x' };

/** A zip of the sample app with additional files and fields. */
function zipFor(publisher: string, files: Record<string, string>, fields: object = {}): Buffer {
  const manifest = { ...sampleManifest({ publisher, id: `com.hostile.${publisher}` }), ...fields };
  const entries = [...sampleFiles(manifest, { ...REFUSED, ...files })];
  return Buffer.from(buildZip({ entries: entries.map(([name, content]) => ({ name, content })) }));
}

/** Bundles that are as expensive as possible for the store, by kind. */
export const COSTLY = {
  script: (publisher: string) => zipFor(publisher, { 'ui/a.js': SCRIPT }),
  picture: (publisher: string) => zipFor(publisher, { 'assets/mark.svg': PICTURE }),
  manifest: (publisher: string) => zipFor(publisher, {}, { extra: KEYS }),
  junk: (_publisher: string) => randomBytes(8 * MiB),
} as const;

export type Costly = keyof typeof COSTLY;
