/** An answer of an OAuth server that waits for its client. Neither state nor code can be read back from it. */
export type ParkedEntry = {
  /** Hex SHA-256 of the state. */
  stateHash: string;
  /** What was sent, for whoever knows the state. */
  sealed: string;
  /** Where the browser was. */
  network: string;
  expiresAt: string;
};

/** What the relay needs to remember. */
export interface RelayStore {
  /** Parks an entry, unless there is or was one with its state; whether it did. */
  park(entry: ParkedEntry): Promise<boolean>;
  /** What is parked under a state and has not been taken. */
  find(stateHash: string, now: string): Promise<string | null>;
  /** Empties an entry, which stays until it expires, so that nothing else takes its place; false when another was faster. */
  empty(stateHash: string): Promise<boolean>;
  /** How many entries there are, taken ones too: in all, and of one network. */
  countIn(network: string, now: string): Promise<{ all: number; here: number }>;
  /** Forgets those that had expired at a time. */
  forgetExpired(at: string): Promise<void>;
}
