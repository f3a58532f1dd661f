import type { RevocationEntry, RevocationList } from '@svc/contracts';

/** What the revocation list needs of storage. */
export interface RevocationStore {
  /** Every version that is withdrawn now, with the reason and the time of its last withdrawal, in no order. */
  yanked(): Promise<RevocationEntry[]>;
  /** Those of the entries whose withdrawal is on record, whether it stands or was undone. */
  onRecord(entries: readonly RevocationEntry[]): Promise<RevocationEntry[]>;
  /** The list that was signed last; null before the first. */
  last(): Promise<RevocationList | null>;
  /** Puts a list in the place of the one that was last; false when another process has put one there since. */
  keep(list: RevocationList, last: RevocationList | null): Promise<boolean>;
}
