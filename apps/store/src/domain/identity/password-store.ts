/** What the store needs to remember of passwords: a slow, salted hash of each. */
export interface PasswordStore {
  /** The hash of a person's password; null when they have none. */
  find(personId: string): Promise<string | null>;
  /** Keeps the hash of a new password in place of the one before. */
  set(personId: string, hash: string, at: string): Promise<void>;
  /** Forgets it; false when there was none. */
  remove(personId: string): Promise<boolean>;
}
