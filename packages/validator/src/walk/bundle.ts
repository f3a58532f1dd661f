import type { BundleEntries } from '@svc/bundle';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import type { Walk } from '../engine.ts';
import { extensionOf, unsafePathReason } from '../paths.ts';
import { entryPlace, ROOT } from '../place.ts';

/** The file that the page of the app shows. */
const README_FILE = 'README.md';

/** The texts of a bundle that its pages show. */
const TEXTS: ReadonlySet<string> = new Set([README_FILE, 'CHANGELOG.md']);

/** Extensions of files that can run JavaScript in a panel; pages and SVGs can contain scripts too. */
const SCRIPT_EXTENSIONS: ReadonlySet<string> = new Set(['js', 'mjs', 'cjs', 'html', 'htm', 'svg']);

/** Facts about a bundle besides its entries, and options of the walk. */
type Rest = {
  /** Size of the zip in bytes; undefined when unknown. */
  readonly size: number | undefined;
  /** Why the manifest is not valid JSON; undefined when it is valid. */
  readonly problem: string | undefined;
  readonly skipScripts: boolean;
  readonly plainScripts: PlainScripts | undefined;
};

/** Cache of files without obfuscated scripts, by path. The implementation must compare all bytes of a file. */
export type PlainScripts = { has(path: string): boolean; add(path: string): void };

/** Walks through a bundle: the zip as a whole, required files, then every entry in order. */
export function walkBundle(walk: Walk, entries: BundleEntries, { size, problem, ...scripts }: Rest): void {
  if (size !== undefined) walk.visit('bundle.size', size, ROOT);
  walk.visit('bundle.manifest', entries.has(MANIFEST_FILE), entryPlace(MANIFEST_FILE));
  if (problem !== undefined) walk.visit('bundle.manifest.problem', problem, entryPlace(MANIFEST_FILE));
  const shared: Shared = { tops: new Set(), ...scripts };
  for (const [name, bytes] of entries) walkEntry(walk, name, bytes, shared);
  walk.visit('bundle.readme', entries.has(README_FILE), entryPlace(README_FILE));
}

/** State for the entries of a bundle: the top-level names visited so far. */
type Shared = Pick<Rest, 'skipScripts' | 'plainScripts'> & {
  readonly tops: Set<string>;
};

function walkEntry(walk: Walk, name: string, bytes: Uint8Array, shared: Shared): void {
  const { tops, skipScripts, plainScripts } = shared;
  const place = entryPlace(name);
  walk.visit('bundle.name', name, place);
  walk.visit('bundle.file', { name, bytes }, place);
  if (TEXTS.has(name)) walk.visit('bundle.text', { name, bytes }, place);
  // The location of an entry is only checked if its name is safe.
  if (unsafePathReason(name) !== undefined) return;
  const slash = name.indexOf('/');
  const top = slash < 0 ? name : name.slice(0, slash + 1);
  // An unexpected folder is reported once, not for each of its files.
  if (!tops.has(top)) walk.visit('bundle.top', top, place);
  tops.add(top);
  if (skipScripts || !SCRIPT_EXTENSIONS.has(extensionOf(name)) || plainScripts?.has(name)) return;
  if (!walk.visit('bundle.script', { name, bytes }, place)) plainScripts?.add(name);
}
