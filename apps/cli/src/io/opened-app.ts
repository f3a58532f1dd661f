import type { Issue } from '@svc/contracts';

export type LeftOut = { path: string; why: string };

/** Whether the bundle of a folder is only checked, or kept: then it is compressed, which takes longer. */
export type Purpose = 'check' | 'keep';

/** A PATH of the command line, read. */
export type OpenedApp =
  /** A `plugin.json` alone. */
  | { kind: 'manifest'; bytes: Uint8Array }
  /** A bundle, or a folder packed into one; `leftOut` lists the files of the folder that are not in it. */
  | { kind: 'bundle' | 'folder'; bytes: Uint8Array; leftOut: LeftOut[] }
  /** A folder that cannot be packed; the issues say why. */
  | { kind: 'unpackable'; issues: Issue[] }
  /** A file too large to be read. */
  | { kind: 'oversized'; size: number };
