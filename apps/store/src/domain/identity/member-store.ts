import type { MemberRole } from '@svc/contracts';

/** Somebody who acts for a publisher. */
export type Member = { publisher: string; personId: string; role: MemberRole; since: string };

/** What the store needs to remember of who acts for whom. */
export interface MemberStore {
  /** Adds a member; false when they are one already. */
  add(member: Member): Promise<boolean>;
  /** The members of a publisher, the longest first. */
  of(publisher: string): Promise<Member[]>;
  /** Gives a member another role; false when they are none. */
  change(publisher: string, personId: string, role: MemberRole): Promise<boolean>;
  /** Takes a member away; false when they are none. */
  remove(publisher: string, personId: string): Promise<boolean>;
}
