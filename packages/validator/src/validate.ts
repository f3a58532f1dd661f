import type { BundleEntries } from '@svc/bundle';
import type { Issue } from '@svc/contracts';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { isReservedName } from '@svc/text';
import { type Fix, startWalk } from './engine.ts';
import { type Location, locateIn, readJson } from './json/read-json.ts';
import { type Localhost, localhostIn } from './localhost.ts';
import { entryPlace } from './place.ts';
import type { Context, Facts, Mode } from './rule.ts';
import { fieldsOf, isFields, isList, own } from './values.ts';
import { type PlainScripts, walkBundle } from './walk/bundle.ts';
import { walkManifest } from './walk/manifest.ts';

export type ValidateOptions = {
  readonly mode: Mode;
  /** What is said of endpoints on `localhost`; as the mode has it when left out. Dev mode never refuses them. */
  readonly localhost?: Localhost;
  /** Names no app may carry, beside the service's own, which is always one of them. */
  readonly reservedNames?: readonly string[];
};

export type BundleVerdict = {
  readonly issues: Issue[];
  /** The parsed `plugin.json`, whatever it holds; undefined when it is missing or no JSON. */
  readonly manifest: unknown;
};

/** Checks a parsed manifest alone; what it says about files is left open. All findings at once, in the order of the walk. */
export function validateManifest(manifest: unknown, options: ValidateOptions): Issue[] {
  const walk = startWalk(contextOf(manifest, options, undefined));
  walkManifest(walk, manifest);
  return [...walk.issues];
}

/**
 * The findings of a manifest that have one right answer, and the answers, in the order of the walk. `entries`, when
 * there are any, tell which files exist. Apply them from the last to the first, so that an item taken out of a list
 * does not move those still to be changed. One fix may bring another fault to light: apply, and ask again.
 */
export function fixesFor(
  manifest: unknown,
  options: ValidateOptions & { readonly entries?: BundleEntries },
): Fix[] {
  const walk = startWalk(contextOf(manifest, options, options.entries));
  walkManifest(walk, manifest);
  return [...walk.fixes];
}

/**
 * Checks a whole bundle: the manifest first, with the files it names, then every entry in the order of the bundle.
 * `size` is the size of the zip in bytes; without it the size is not judged. `skipScripts` leaves out the search for
 * disguised scripts, which takes most of the time and only ever warns: who asks for errors alone does without.
 * `plainScripts` remembers which files hold none: those it has are not searched again, and those found so are added.
 * `beforeFiles` is called once the manifest and the pictures it names are checked, for a caller that limits their time.
 */
export function validateBundle(
  entries: BundleEntries,
  options: ValidateOptions & {
    readonly size?: number;
    readonly skipScripts?: boolean;
    readonly plainScripts?: PlainScripts;
    readonly beforeFiles?: () => void;
  },
): BundleVerdict {
  const bytes = entries.get(MANIFEST_FILE);
  const reading = bytes === undefined ? undefined : readJson(bytes);
  const manifest = reading?.ok === true ? reading.value : undefined;
  const walk = startWalk(contextOf(manifest, options, entries));
  if (reading?.ok === true) walkManifest(walk, manifest);
  options.beforeFiles?.();
  walkBundle(walk, entries, {
    size: options.size,
    problem: reading?.ok === false ? reading.problem : undefined,
    skipScripts: options.skipScripts ?? false,
    plainScripts: options.plainScripts,
  });
  return { issues: [...walk.issues], manifest };
}

/** A manifest read from bytes, and where in them each of its values stands; or why it is no JSON to rely on. */
export type ManifestReading =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Line and column of the value a JSON Pointer names, or of the nearest value around it; see `locateIn`. */
      readonly locate: (pointer: string) => Location | undefined;
    }
  /** `at` is where reading stopped; undefined when there was too much to read at all. */
  | { readonly ok: false; readonly issues: Issue[]; readonly at: Location | undefined };

/** Reads the bytes of a `plugin.json`, more strictly than `JSON.parse`: see `readJson`. Never throws. */
export function parseManifest(bytes: Uint8Array): ManifestReading {
  const reading = readJson(bytes);
  if (reading.ok) {
    return { ok: true, value: reading.value, locate: (pointer) => locateIn(reading.text, pointer) };
  }
  const walk = startWalk(contextOf(undefined, { mode: 'store' }, undefined));
  walk.visit('bundle.manifest.problem', reading.problem, entryPlace(MANIFEST_FILE));
  return { ok: false, issues: [...walk.issues], at: reading.at };
}

/** Whether anything found stands in the way of publishing or loading. */
export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some((issue) => issue.level === 'error');
}

/** The name of the service, which no app may pass itself off with. */
const SERVICE_NAME = 'svc';

const withServiceName = (reservedNames: readonly string[]): string[] => [SERVICE_NAME, ...reservedNames];

/**
 * Which reserved name stands in a name, by the rule that `name.reserved` holds the names of apps to; null when none does.
 * @param reservedNames names beside the service's own
 */
export function reservedNameIn(name: string, reservedNames: readonly string[]): string | null {
  return withServiceName(reservedNames).find((reserved) => isReservedName(name, reserved)) ?? null;
}

function contextOf(manifest: unknown, options: ValidateOptions, entries: BundleEntries | undefined): Context {
  const reservedNames = withServiceName(options.reservedNames ?? []);
  const { mode } = options;
  const localhost = localhostIn(mode, options.localhost);
  return { mode, localhost, reservedNames, entries, manifest, facts: factsOf(manifest) };
}

function factsOf(manifest: unknown): Facts {
  const fields = fieldsOf(manifest);
  const mcpUrl = own(fieldsOf(own(fields, 'remote')), 'mcpUrl');
  return {
    id: own(fields, 'id'),
    grants: setOf(own(fields, 'grants'), (grant) => grant),
    accounts: setOf(own(fields, 'accounts'), (account) =>
      isFields(account) ? own(account, 'id') : undefined,
    ),
    hasMcpUrl: mcpUrl !== undefined,
  };
}

/** A list as a set; empty when there is none, undefined when something else stands there. */
function setOf(value: unknown, keyOf: (item: unknown) => unknown): ReadonlySet<unknown> | undefined {
  if (value === undefined) return new Set();
  return isList(value) ? new Set(value.map(keyOf)) : undefined;
}
