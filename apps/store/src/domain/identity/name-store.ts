/** A new name that a verified publisher has asked for, and that an administrator has not decided on. */
export type NameRequest = { publisher: string; name: string; askedBy: string; askedAt: string };

/** What the store needs to remember of the names of publishers. */
export interface NameStore {
  /**
   * Makes these the keys of a publisher, and no others. A key belongs to one publisher: of two that claim it at once one gets it.
   * @returns whether all of them are its own now; when not, give up the transaction
   */
  claim(publisher: string, keys: readonly string[]): Promise<boolean>;
  /** The name that a publisher waits for; null when there is none. */
  find(publisher: string): Promise<NameRequest | null>;
  /** Keeps what a publisher asks for, in place of what it asked for before. */
  put(request: NameRequest): Promise<void>;
  remove(publisher: string): Promise<void>;
  /** Requests in the order of their publishers: as many as `limit` says, and one more when there are more. */
  list(after: string | null, limit: number): Promise<NameRequest[]>;
}
