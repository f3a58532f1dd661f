/** A file that the person or the agent hands to a tool. */
export type HandedFile = { name: string; bytes: Uint8Array };

/** A file as it is sent: prepared, and of the type that its content has. */
export type ReadyFile = {
  /** The argument it is given as. */
  param: string;
  name: string;
  type: string;
  bytes: Uint8Array;
  /** Of the bytes, in hex. */
  sha256: string;
  /** What it was, when it was prepared. */
  was?: { name: string; type: string; bytes: number };
};
