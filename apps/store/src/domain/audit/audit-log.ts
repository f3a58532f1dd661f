import type { AuditAction, AuditDetail, AuditEntry, AuditQuery } from '@svc/contracts';

/** Where something came from: the address of the client and the id of its request; null when no request asked for it. */
export type Origin = { address: string | null; requestId: string | null };

/** Who does something. The name goes on record. */
export type Actor = {
  name: string;
  from: Origin;
  /** The developer token that was shown, by its id. */
  tokenId?: string;
};

/** What the store and its operator do by themselves comes from no request. */
export const actorWithin = (name: 'signer' | 'store' | 'operator'): Actor => ({
  name,
  from: { address: null, requestId: null },
});

/** What was done, and to what. Nothing in it may be a secret. */
export type Deed = {
  action: AuditAction;
  appId?: string;
  version?: string;
  publisher?: string;
  tokenId?: string;
  detail?: AuditDetail;
};

/** What to look for; `before` is the id under which the page begins. */
export type AuditSearch = Omit<AuditQuery, 'cursor'> & { before: number | null };

/** Who did what. It only grows: the database itself refuses to change or remove an entry. */
export interface AuditLog {
  /**
   * Keeps what somebody did. Run it in the transaction of the deed, so that neither is there without the other; ids
   * then grow in the order in which deeds became true, as transactions run one at a time.
   * @param at when, ISO 8601 in UTC
   */
  add(actor: Actor, at: string, deed: Deed): Promise<void>;
  /** Entries, newest first: as many as `limit` says, and one more when there are more. */
  find(search: AuditSearch): Promise<AuditEntry[]>;
}
