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
  /** How to treat endpoints on `localhost`; the default depends on the mode. Dev mode never refuses them. */
  readonly localhost?: Localhost;
  /** Names that no app may contain, in addition to the name of the service. */
  readonly reservedNames?: readonly string[];
  /** The names of the tools that the MCP server lists, where they are known. */
  readonly served?: readonly string[] | undefined;
  /** The hosts of the app that only a private network can reach, where their addresses are known. */
  readonly privateHosts?: readonly string[] | undefined;
};

export type BundleVerdict = {
  readonly issues: Issue[];
  /** The parsed `plugin.json`, of any type; undefined when it is missing or not valid JSON. */
  readonly manifest: unknown;
};

/** Checks a parsed manifest, but not the files that it refers to. Returns all findings in the order of the walk. */
export function validateManifest(manifest: unknown, options: ValidateOptions): Issue[] {
  const walk = startWalk(contextOf(manifest, options, undefined));
  walkManifest(walk, manifest);
  return [...walk.issues];
}

/**
 * Returns the fixes for all findings of a manifest that have exactly one, in the order of the walk. `entries` tells which files
 * exist. Apply the fixes from the last to the first: a removed list item then does not shift the others. A fix can reveal
 * another problem, so call this again after you have applied them.
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
 * Checks a whole bundle: first the manifest and the files that it refers to, then every entry in the order of the bundle.
 * `size` is the size of the zip in bytes; without it the size is not checked. `skipScripts` skips the search for
 * obfuscated scripts, which takes most of the time and only gives warnings.
 * `plainScripts` is a cache of files without obfuscated scripts: they are not searched again, and new ones are added.
 * `beforeFiles` is called after the manifest and its images are checked, for a caller that limits the time of the rest.
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

/** A parsed manifest with the locations of its values, or the findings why it is not valid JSON. */
export type ManifestReading =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Line and column of the value at a JSON Pointer, or of the nearest surrounding value; see `locateIn`. */
      readonly locate: (pointer: string) => Location | undefined;
    }
  /** `at` is where parsing stopped; undefined when the file was too large to parse. */
  | { readonly ok: false; readonly issues: Issue[]; readonly at: Location | undefined };

/** Parses a `plugin.json`, more strictly than `JSON.parse`: see `readJson`. Never throws. */
export function parseManifest(bytes: Uint8Array): ManifestReading {
  const reading = readJson(bytes);
  if (reading.ok) {
    return { ok: true, value: reading.value, locate: (pointer) => locateIn(reading.text, pointer) };
  }
  const walk = startWalk(contextOf(undefined, { mode: 'store' }, undefined));
  walk.visit('bundle.manifest.problem', reading.problem, entryPlace(MANIFEST_FILE));
  return { ok: false, issues: [...walk.issues], at: reading.at };
}

/** Whether a finding prevents publishing or loading. */
export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some((issue) => issue.level === 'error');
}

/** Name of the service, which no app may use. */
const SERVICE_NAME = 'svc';

const withServiceName = (reservedNames: readonly string[]): string[] => [SERVICE_NAME, ...reservedNames];

/**
 * Returns the reserved name that a name contains, by the comparison of the rule `name.reserved`, or null.
 * @param reservedNames names in addition to that of the service
 */
export function reservedNameIn(name: string, reservedNames: readonly string[]): string | null {
  return withServiceName(reservedNames).find((reserved) => isReservedName(name, reserved)) ?? null;
}

function contextOf(manifest: unknown, options: ValidateOptions, entries: BundleEntries | undefined): Context {
  const reservedNames = withServiceName(options.reservedNames ?? []);
  const { mode } = options;
  const localhost = localhostIn(mode, options.localhost);
  const served = options.served && new Set(options.served);
  const privateHosts = new Set(options.privateHosts);
  return {
    mode,
    localhost,
    reservedNames,
    entries,
    served,
    privateHosts,
    manifest,
    facts: factsOf(manifest),
  };
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

/** A list as a set; empty for a missing value, undefined for anything else. */
function setOf(value: unknown, keyOf: (item: unknown) => unknown): ReadonlySet<unknown> | undefined {
  if (value === undefined) return new Set();
  return isList(value) ? new Set(value.map(keyOf)) : undefined;
}
