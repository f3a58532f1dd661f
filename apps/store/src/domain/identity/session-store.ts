import type { Memberships, Person } from './person-store.ts';

/** A browser in which somebody is signed in. The secret in its cookie is not kept, only its hash. */
export type SessionRecord = {
  /** Hex SHA-256 of the secret. */
  hash: string;
  /** Names the session where the secret must not be shown. */
  id: string;
  personId: string;
  createdAt: string;
  expiresAt: string;
  lastSeenAt: string;
  /** Where it was begun: the address, and what the browser called itself. */
  address: string | null;
  agent: string;
};

/** A session, whose it is, and for which publishers that person acts. */
export type FoundSession = { session: SessionRecord; person: Person; memberships: Memberships };

/** What the store needs to remember of sessions. */
export interface SessionStore {
  keep(session: SessionRecord): Promise<void>;
  find(hash: string): Promise<FoundSession | null>;
  /** Sessions of a person that have not expired, the one seen last first. */
  of(personId: string, now: string): Promise<SessionRecord[]>;
  /** Notes that a session is in use. */
  seen(id: string, at: string, expiresAt: string): Promise<void>;
  /** Ends one session of a person; false when they have no such session. */
  end(personId: string, id: string): Promise<boolean>;
  /** Ends all sessions of a person, but for one when it is named; how many that were. */
  endAll(personId: string, but?: string): Promise<number>;
  /** Forgets those that had expired at a time. */
  forgetExpired(at: string): Promise<void>;
}
