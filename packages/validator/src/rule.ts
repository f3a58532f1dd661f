import type { BundleEntries } from '@svc/bundle';
import type { Localhost } from './localhost.ts';
import type { TargetName, Targets } from './targets.ts';

/** `store` checks whether an app may be published; `dev` checks whether a local folder may be loaded, and ignores what only the store needs. */
export type Mode = 'store' | 'dev';

/** Severity of a finding. `store-error` is an error in store mode and a warning in dev mode. */
export type Level = 'error' | 'warning' | 'store-error';

/** Facts about the whole manifest for rules that check a part of it; collected once, before the walk. */
export type Facts = {
  /** Value of `id`, of any type. */
  readonly id: unknown;
  /** The requested grants; undefined when `grants` is not a list, so that an invalid list does not cause other findings. */
  readonly grants: ReadonlySet<unknown> | undefined;
  /** The declared account ids; undefined when `accounts` is not a list. */
  readonly accounts: ReadonlySet<unknown> | undefined;
  readonly hasMcpUrl: boolean;
};

export type Context = {
  readonly mode: Mode;
  readonly localhost: Localhost;
  /** Names that no app may contain; compared by `isReservedName`. */
  readonly reservedNames: readonly string[];
  /** The files of the bundle; undefined when only a manifest is checked. */
  readonly entries: BundleEntries | undefined;
  /** The names of the tools that the MCP server lists; undefined when they are not known. */
  readonly served: ReadonlySet<string> | undefined;
  /** The hosts whose addresses are private, as far as they are known. */
  readonly privateHosts: ReadonlySet<string>;
  /** The whole document, of any type. For messages only: rules check the values that the walk visits. */
  readonly manifest: unknown;
  readonly facts: Facts;
};

/** A problem inside the visited target: the path from the target, and the value there. */
export type Spot = { readonly at: readonly (string | number)[]; readonly value: unknown };

/** Top-level fields that replace those of the example manifest; `undefined` removes a field. */
export type ManifestPatch = { readonly [field: string]: unknown };

/**
 * Maximum number of findings of one code. A million findings are no more useful than a hundred, and would need a gigabyte of memory.
 * The limit is per code, so that many findings of one code cannot hide another code.
 */
export const MAX_FINDINGS_PER_CODE = 100;

/** A file that begins with `start` and is padded to `bytes`; created only when needed. */
export type Padded = { readonly start: string | Uint8Array; readonly bytes: number };

/** Files that replace those of the example bundle; `undefined` removes a file. */
export type FilesPatch = { readonly [name: string]: string | Uint8Array | Padded | undefined };

/** The smallest change to the example bundle that shows a problem, or its correction. */
export type Sample =
  | {
      readonly manifest: ManifestPatch;
      readonly files?: FilesPatch;
      /** The names of the tools that the MCP server lists. */
      readonly served?: readonly string[];
      /** The hosts whose addresses are private. */
      readonly privateHosts?: readonly string[];
    }
  | {
      readonly files: FilesPatch;
      readonly manifest?: never;
      readonly served?: never;
      readonly privateHosts?: never;
    }
  /** Size of the zip, in bytes. */
  | {
      readonly size: number;
      readonly files?: never;
      readonly manifest?: never;
      readonly served?: never;
      readonly privateHosts?: never;
    };

/** An example of a rule: `broken` has one finding of its code, at `path`; `fixed` has none of it, and no errors at all. */
export type Example = {
  readonly path: string;
  readonly broken: Sample;
  readonly fixed: Sample;
  /** The mode in which the rule applies; `store` by default. */
  readonly mode?: Mode;
};

/**
 * Result of a check: whether the target is invalid; `warning` when it is a warning whatever the level of the rule; or the invalid
 * spots inside the target. False or an empty list when the target is valid.
 */
export type Finding = boolean | 'warning' | readonly Spot[];

/** The change that corrects a value when there is only one possible correction: replace the value, or remove it. */
export type Repair = { readonly put: unknown } | { readonly remove: true };

/** Location of an invalid value: the surrounding object or list, unchecked, and the key or index in it. */
export type Where = { readonly around: unknown; readonly step: string | number };

/** A validation rule, with everything about its code. */
export type Rule<C extends string, T extends TargetName> = {
  readonly code: C;
  /** The highest severity of its findings. */
  readonly level: Level;
  readonly target: T;
  /** What is wrong and what to write instead. Gets the invalid value, which must be quoted with `show`. */
  readonly message: string | ((value: unknown, context: Context) => string);
  /** Why the rule exists, for the page about the code. */
  readonly why: string;
  readonly example: Example;
  readonly fails: (value: Targets[T], context: Context) => Finding;
  /**
   * The only possible correction of the invalid value, if there is one. It never adds permissions, and never
   * removes text that was written for readers.
   */
  readonly repair?: (value: unknown, context: Context, where: Where) => Repair | undefined;
};

/** An example in the manifest alone: the invalid value is at `path` of `broken`. */
export const inManifest = (
  path: string,
  broken: ManifestPatch,
  fixed: ManifestPatch,
  mode?: Example['mode'],
): Example => ({
  path,
  ...(mode && { mode }),
  broken: { manifest: broken },
  fixed: { manifest: fixed },
});

/**
 * Examples in an object of the manifest: fields of a valid one are changed, and `put` returns a manifest that has it at `path`.
 * The correction is the valid object itself unless it is given.
 */
export const inObject =
  (path: string, valid: object, put: (changed: object) => ManifestPatch) =>
  (at: string, broken: object, fixed: object = {}, mode?: Mode): Example =>
    inManifest(path + at, put({ ...valid, ...broken }), put({ ...valid, ...fixed }), mode);

/** An example in `contributes`. */
export const inContributes = inObject('/contributes', {}, (contributes) => ({ contributes }));

/** An example in the files of the bundle, which the fields of `branding` may name. */
export function inFiles(path: string, broken: FilesPatch, fixed: FilesPatch, branding?: object): Example {
  const manifest = branding && { manifest: { branding } };
  return { path, broken: { ...manifest, files: broken }, fixed: { ...manifest, files: fixed } };
}

/** The target determines the type of the value, and the code stays a literal type, from which `Code` is derived. */
const ruleOf =
  (level: Level) =>
  <const C extends string, T extends TargetName>(
    code: C,
    target: T,
    rule: Omit<Rule<C, T>, 'code' | 'level' | 'target'>,
  ): Rule<C, T> => ({ code, level, target, ...rule });

/** Define a rule of a level, for a part of the manifest: `errorRule('media.fit', 'fileRule', { message, … })`. */
export const errorRule = ruleOf('error');
export const warningRule = ruleOf('warning');
export const storeErrorRule = ruleOf('store-error');
