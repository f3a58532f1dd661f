/** A record of a set. It is replaced, never removed. */
export type StoredRecord = {
  /** At most 64 characters of a to z, 0 to 9 and `-`. */
  name: string;
  content: Uint8Array;
};

/** A stored file. Names have at most 512 characters; `/` separates their parts. */
export type StoredBlob = { name: string; bytes: number /** ISO 8601, UTC. */; at: string };

/**
 * A database that several runtimes share, as the runtime needs it: sets of records with a version, files, and locks. What a method has
 * written is durable when it resolves. PostgreSQL's is `@svc/runtime/postgres`; another database implements these methods.
 */
export type SharedStore = {
  /** The version of a set, 0 before the first commit, and its records that changed after a version: of one moment. */
  read(set: string, since: number): Promise<{ version: number; records: StoredRecord[] }>;
  /**
   * Writes records and removes files as one, and raises the version of the set by 1.
   * @returns false, without a change, when the set does not have the expected version
   */
  commit(set: string, expected: number, change: SetChange): Promise<boolean>;
  /** Stores a file, or replaces it and its time. */
  putBlob(name: string, bytes: Uint8Array): Promise<void>;
  getBlob(name: string): Promise<Uint8Array | null>;
  /** The files whose names begin with a text that ends with `/`. */
  listBlobs(prefix: string): Promise<StoredBlob[]>;
  removeBlobs(prefix: string): Promise<void>;
  /** Takes a lock, unless another opener holds it. It is released when its opener closes or ends, however that is. */
  tryLock(name: string): Promise<boolean>;
  unlock(name: string): Promise<void>;
  close(): Promise<void>;
};

/** What a commit writes, and the names of the files that it removes. */
export type SetChange = { records: StoredRecord[]; removed: string[] };

/**
 * Opens a shared store, as the default export of a module. The module runs in a thread of its own, because changes of the library are
 * synchronous: the runtime waits for them.
 * @param options what the embedder gave; a value of the structured clone algorithm
 * @param changed called with the name of a set that another opener changed, or may have changed
 */
export type OpenSharedStore = (options: never, changed: (set: string) => void) => Promise<SharedStore>;
