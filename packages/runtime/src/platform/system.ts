/** What the runtime takes from the program that embeds it, so that tests own time and chance. */
export type System = {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /** Bytes nobody can guess. */
  randomBytes(length: number): Uint8Array;
  /** Resolves after so many milliseconds; rejects with the signal's reason when that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};
