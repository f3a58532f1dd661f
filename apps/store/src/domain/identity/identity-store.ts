/** An account at a provider by which somebody signs in. Its email address says nothing of whose it is. */
export type IdentityRecord = {
  /** Names it in this store. */
  id: string;
  /** The provider, and what it names the account by for ever (OpenID Connect Core 1.0 section 5.7). */
  issuer: string;
  subject: string;
  personId: string;
  /** What the provider calls the account, for people to read. */
  label: string;
  createdAt: string;
};

/** What the store needs to remember of accounts at providers. */
export interface IdentityStore {
  /** Keeps a new identity; false when it is somebody's already. */
  add(identity: IdentityRecord): Promise<boolean>;
  find(issuer: string, subject: string): Promise<IdentityRecord | null>;
  /** The identities of a person, the oldest first. */
  of(personId: string): Promise<IdentityRecord[]>;
  /** Forgets an identity of a person; false when they have no such identity. */
  remove(personId: string, id: string): Promise<boolean>;
}
