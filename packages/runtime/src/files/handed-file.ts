/**
 * Why a file needs the user's decision each time: a hidden file or folder (also `.git`), a file that probably contains a key or password,
 * or a file outside the project.
 */
export type FileCaution = 'hidden' | 'secret' | 'outside';

/** A file that the user or the agent passes to a tool. */
export type HandedFile = {
  name: string;
  bytes: Uint8Array;
  /**
   * Where a program read the file, as real paths; `project` is the folder of the project, or null if it has none. Undefined for a file
   * that the user chose.
   */
  origin?: { path: string; project: string | null };
};

/** A file as it is sent: prepared, with the type detected from its content. */
export type ReadyFile = {
  /** The name of the argument. */
  param: string;
  name: string;
  type: string;
  bytes: Uint8Array;
  /** Of the bytes, in hex. */
  sha256: string;
  /** The original file, if it was prepared. */
  was?: { name: string; type: string; bytes: number };
  /** Of the original file. */
  caution: FileCaution | null;
};
