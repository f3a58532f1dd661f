import type { MemberRole } from '@svc/contracts';

/** An invitation to act for a publisher. Its link is its id with a seal, which is kept nowhere. */
export type InvitationRecord = {
  id: string;
  publisher: string;
  role: MemberRole;
  email: string | null;
  /** Id of the owner who invites. */
  invitedBy: string;
  createdAt: string;
  expiresAt: string;
};

/** What the store needs to remember of invitations. One that was accepted or taken back is gone. */
export interface InvitationStore {
  add(invitation: InvitationRecord): Promise<void>;
  find(id: string): Promise<InvitationRecord | null>;
  /** Those of a publisher that have not expired at a time, oldest first. */
  openOf(publisher: string, now: string): Promise<InvitationRecord[]>;
  /** Takes an invitation away; false when it is gone already. */
  remove(id: string): Promise<boolean>;
  /** Takes away what somebody invited to; how many that were. */
  removeBy(publisher: string, personId: string): Promise<number>;
  /** Forgets those that had expired at a time. */
  forgetExpired(at: string): Promise<void>;
}
