import type { MemberRole, PersonRole } from '@svc/contracts';

/** Somebody who signs in to the store. */
export type Person = {
  id: string;
  name: string;
  /** In lower case; null when nothing that they signed in with told one. */
  email: string | null;
  /** Whether a provider, or a mail that was answered, has shown that it is theirs. */
  emailVerified: boolean;
  role: PersonRole;
  suspended: boolean;
  createdAt: string;
};

/** The publishers that somebody acts for, and as what. */
export type Memberships = ReadonlyMap<string, MemberRole>;

/** What may change about a person. */
export type PersonChange = Partial<Pick<Person, 'name' | 'email' | 'emailVerified' | 'role' | 'suspended'>>;

/**
 * Which people; all conditions must hold. `beginning` is how the name or the email address begins, whatever the case of its
 * ASCII letters; `after` is the last person of the page before.
 */
export type PersonSearch = {
  beginning?: string | undefined;
  role?: PersonRole | undefined;
  suspended?: boolean | undefined;
  after: Pick<Person, 'createdAt' | 'id'> | null;
  limit: number;
};

/** What the store needs to remember of people. */
export interface PersonStore {
  /** Keeps a new person; false when another has the email address. */
  add(person: Person): Promise<boolean>;
  find(id: string): Promise<Person | null>;
  findByEmail(email: string): Promise<Person | null>;
  /** Those of the ids that exist. */
  findAll(ids: readonly string[]): Promise<Person[]>;
  /** Applies a change and returns the result; null when there is no such person. */
  change(id: string, change: PersonChange): Promise<Person | null>;
  /** Whether anybody is an administrator who is not suspended; anybody but one person when they are named. */
  hasAdministrator(but?: string): Promise<boolean>;
  /** People, the newest first: as many as `limit` says, and one more when there are more. */
  search(search: PersonSearch): Promise<Person[]>;
  /** The publishers that a person acts for. */
  membershipsOf(id: string): Promise<Memberships>;
}
