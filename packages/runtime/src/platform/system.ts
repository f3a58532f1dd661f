/** Clock, random bytes and timers, so that tests can replace them. */
export type System = {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /** Cryptographically secure random bytes. */
  randomBytes(length: number): Uint8Array;
  /** Resolves after so many milliseconds; rejects with the signal's reason when that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};
