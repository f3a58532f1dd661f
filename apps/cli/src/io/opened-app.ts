import type { Issue } from '@svc/contracts';

/** A file that was left out of a bundle, and why. */
export type LeftOut = { path: string; why: string };

/** Whether the bundle of a folder is only looked into, or kept: its bytes are smaller then, and take longer to make. */
export type Purpose = 'check' | 'keep';

/** What a PATH of the command line turned out to be. */
export type OpenedApp =
  /** A `plugin.json` alone. */
  | { kind: 'manifest'; bytes: Uint8Array }
  /** A bundle, or a folder packed into one; then `leftOut` says what stayed out of it. */
  | { kind: 'bundle' | 'folder'; bytes: Uint8Array; leftOut: LeftOut[] }
  /** A folder that no bundle can be made of; the issues say why. */
  | { kind: 'unpackable'; issues: Issue[] }
  /** A file so large that it is not even read. */
  | { kind: 'oversized'; size: number };
