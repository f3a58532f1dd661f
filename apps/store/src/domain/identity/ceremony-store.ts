/** What is under way between two requests of one browser. */
export type CeremonyKind = 'passkey.add' | 'passkey.sign-in' | 'provider';

export type CeremonyRecord = {
  /** Hex SHA-256 of the secret in the browser's cookie. */
  hash: string;
  kind: CeremonyKind;
  expiresAt: string;
  /** The provider, and the person who adds to their account; each null where there is none. */
  provider: string | null;
  personId: string | null;
};

/** What the store needs to remember of ceremonies. */
export interface CeremonyStore {
  keep(ceremony: CeremonyRecord): Promise<void>;
  /** Finds a ceremony and forgets it: of two who ask at once one gets it. */
  take(hash: string): Promise<CeremonyRecord | null>;
  /** Forgets those that had expired at a time. */
  forgetExpired(at: string): Promise<void>;
}
