import type { BundleEntries } from '@svc/bundle';
import type { Localhost } from './localhost.ts';
import type { TargetName, Targets } from './targets.ts';

/** `store`: may this be published? `dev`: may a local folder be loaded? Dev forgives what only the store needs. */
export type Mode = 'store' | 'dev';

/** How bad a finding is. `store-error` stops publishing, and is a warning for a local folder. */
export type Level = 'error' | 'warning' | 'store-error';

/** What rules about one part of a manifest may know of its other parts; read once, before the walk. */
export type Facts = {
  /** The app's own id, whatever stands there. */
  readonly id: unknown;
  /** The grants asked for; undefined when `grants` is no list, so that nobody draws conclusions from a fault. */
  readonly grants: ReadonlySet<unknown> | undefined;
  /** The declared account ids; undefined when `accounts` is no list. */
  readonly accounts: ReadonlySet<unknown> | undefined;
  readonly hasMcpUrl: boolean;
};

export type Context = {
  readonly mode: Mode;
  readonly localhost: Localhost;
  /** Names no app may carry; compared by `isReservedName`. */
  readonly reservedNames: readonly string[];
  /** The files of the bundle; undefined when a manifest is checked alone. */
  readonly entries: BundleEntries | undefined;
  /** The whole document, whatever it is. For what is said of a fault; what rules look at, the walk announces. */
  readonly manifest: unknown;
  readonly facts: Facts;
};

/** A fault below the announced target: the steps down to it, and what stands there. */
export type Spot = { readonly at: readonly (string | number)[]; readonly value: unknown };

/** Top-level fields put over the example manifest; `undefined` takes one away. */
export type ManifestPatch = { readonly [field: string]: unknown };

/**
 * Most findings of one code. A list of a million faults says no more than one of a hundred, and would cost a gigabyte.
 * Counted per code, so that no flood of one can push another out of the verdict.
 */
export const MAX_FINDINGS_PER_CODE = 100;

/** A file that starts like this and is padded to so many bytes; made only when needed. */
export type Padded = { readonly start: string | Uint8Array; readonly bytes: number };

/** Files put over the example bundle; `undefined` takes one away. */
export type FilesPatch = { readonly [name: string]: string | Uint8Array | Padded | undefined };

/** The smallest change to the example bundle that shows a fault, or its repair. */
export type Sample =
  | { readonly manifest: ManifestPatch; readonly files?: FilesPatch }
  | { readonly files: FilesPatch; readonly manifest?: never }
  /** Size of the zip, in bytes. */
  | { readonly size: number; readonly files?: never; readonly manifest?: never };

/** Shows a rule at work: `broken` gives its code once, at `path`; `fixed` gives no finding of it and no error at all. */
export type Example = {
  readonly path: string;
  readonly broken: Sample;
  readonly fixed: Sample;
  /** The mode in which the rule speaks; `store` when left out. */
  readonly mode?: Mode;
};

/**
 * What a check found: whether the target is broken, or only so mildly that a warning will do whatever the rule's level,
 * or the spots below it that are broken; false or no spots when all is well.
 */
export type Finding = boolean | 'warning' | readonly Spot[];

/** What to do where a fault is, when only one thing can have been meant: put this there, or take away what stands there. */
export type Repair = { readonly put: unknown } | { readonly remove: true };

/** Where a value that failed stands: the object or list around it, as it is, and its name or index there. */
export type Where = { readonly around: unknown; readonly step: string | number };

/** One validation code, whole. */
export type Rule<C extends string, T extends TargetName> = {
  readonly code: C;
  /** The worst that its finding can be. */
  readonly level: Level;
  readonly target: T;
  /** What is wrong and what to write instead. Gets the value that failed; must echo it through `show` only. */
  readonly message: string | ((value: unknown, context: Context) => string);
  /** Why the rule exists, for the page about the code. */
  readonly why: string;
  readonly example: Example;
  readonly fails: (value: Targets[T], context: Context) => Finding;
  /**
   * The one right answer to the value that failed, if it has one. It never widens what the app may reach, and never
   * drops what a person wrote for others to read.
   */
  readonly repair?: (value: unknown, context: Context, where: Where) => Repair | undefined;
};

/** Types a rule: `fails` sees what its target promises, and the code stays a literal, so that `Code` can be derived. */
export function defineRule<const C extends string, T extends TargetName>(rule: Rule<C, T>): Rule<C, T> {
  return rule;
}
