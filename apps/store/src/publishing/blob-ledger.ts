/**
 * Which bytes versions speak of. Bytes come before the row that speaks of them, so a process that dies in between leaves
 * some that nobody speaks of; this is how they are told from those that are needed.
 */
export interface BlobLedger {
  /** Puts on record, for ever, that a version speaks of these. */
  use(hashes: readonly string[]): Promise<void>;
  /** Whether any version names bytes. */
  anyUsed(): Promise<boolean>;
  /** Those of some hashes that no version speaks of. */
  unused(hashes: readonly string[]): Promise<string[]>;
  /** Puts on record that bytes are about to be removed. */
  doom(hashes: readonly string[], at: string): Promise<void>;
  /** Those of some hashes that were about to be removed since the record was last cleared. */
  doomed(hashes: readonly string[]): Promise<string[]>;
  /** Clears the record of what was doomed before a time. */
  forgetDoomed(before: string): Promise<void>;
  /** The name of the store that these records belong to; made up by whoever asks first. */
  ownerName(candidate: string): Promise<string>;
}
