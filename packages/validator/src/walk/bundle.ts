import type { BundleEntries } from '@svc/bundle';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import type { Walk } from '../engine.ts';
import { type Budget, newBudget } from '../obfuscation/budget.ts';
import { extensionOf, unsafePathReason } from '../paths.ts';
import { entryPlace, ROOT } from '../place.ts';

/** The file that becomes the description in the store. */
const README_FILE = 'README.md';

/** Extensions under which JavaScript reaches a panel; pages hold scripts too. */
const SCRIPT_EXTENSIONS: ReadonlySet<string> = new Set(['js', 'mjs', 'cjs', 'html', 'htm', 'svg']);

/** What is known of a bundle beside its entries, and what of it is left out. */
type Rest = {
  /** Of the zip in bytes; undefined when unknown. */
  readonly size: number | undefined;
  /** What is wrong with the JSON of the manifest; undefined when nothing is. */
  readonly problem: string | undefined;
  readonly skipScripts: boolean;
  readonly plainScripts: PlainScripts | undefined;
};

/** Files, by their paths, in which no disguised script was found before. What tells them apart must be all of their bytes. */
export type PlainScripts = { has(path: string): boolean; add(path: string): void };

/** Goes through a bundle: the zip as a whole, the files it must have, then every entry in order. */
export function walkBundle(walk: Walk, entries: BundleEntries, { size, problem, ...scripts }: Rest): void {
  if (size !== undefined) walk.visit('bundle.size', size, ROOT);
  walk.visit('bundle.manifest', entries.has(MANIFEST_FILE), entryPlace(MANIFEST_FILE));
  if (problem !== undefined) walk.visit('bundle.manifest.problem', problem, entryPlace(MANIFEST_FILE));
  const shared: Shared = { tops: new Set(), budget: newBudget(), ...scripts };
  for (const [name, bytes] of entries) walkEntry(walk, name, bytes, shared);
  walk.visit('bundle.readme', entries.has(README_FILE), entryPlace(README_FILE));
}

/** What the entries of one bundle share: the places at its top that were seen, and what may be parsed of its scripts. */
type Shared = Pick<Rest, 'skipScripts' | 'plainScripts'> & {
  readonly tops: Set<string>;
  readonly budget: Budget;
};

function walkEntry(walk: Walk, name: string, bytes: Uint8Array, shared: Shared): void {
  const { tops, budget, skipScripts, plainScripts } = shared;
  const place = entryPlace(name);
  walk.visit('bundle.name', name, place);
  walk.visit('bundle.file', { name, bytes }, place);
  // Where an entry lies is only a question once its name can be trusted.
  if (unsafePathReason(name) !== undefined) return;
  const slash = name.indexOf('/');
  const top = slash < 0 ? name : name.slice(0, slash + 1);
  // A folder in the wrong place is one fault, however many files lie in it.
  if (!tops.has(top)) walk.visit('bundle.top', top, place);
  tops.add(top);
  if (skipScripts || !SCRIPT_EXTENSIONS.has(extensionOf(name)) || plainScripts?.has(name)) return;
  if (!walk.visit('bundle.script', { name, bytes, budget }, place)) plainScripts?.add(name);
}
