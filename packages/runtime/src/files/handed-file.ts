/** A file that the user or the agent passes to a tool. */
export type HandedFile = { name: string; bytes: Uint8Array };

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
};
