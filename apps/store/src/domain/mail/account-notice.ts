import type { AccountAction, Actor, AuditEvent, AuditLog } from '../audit/audit-log.ts';
import type { PersonStore } from '../identity/person-store.ts';
import { type PostDeps, type PostStores, postMail } from './post-mail.ts';

/** How the mail about a change begins, before the name of the account; null for changes that need none. An action without a row does not compile. */
export const ACCOUNT_CHANGES = {
  'passkey.add': 'A passkey was added to',
  'passkey.remove': 'A passkey was removed from',
  'passkey.rename': null,
  'password.set': 'A new password was set for',
  'password.remove': 'The password was removed from',
  // The user is notified of the password that the link sets.
  'password.link': null,
  'identity.add': 'An account of a sign-in provider was linked to',
  'identity.remove': 'An account of a sign-in provider was unlinked from',
  'token.issue': 'A token was created by',
} as const satisfies Record<AccountAction, string | null>;

/** A change of an account, for the audit log and the mail. */
type AccountChange = AuditEvent<AccountAction> & {
  /** The account. */
  personId: string;
  /** What was added or removed, in words of the user or a provider. */
  what?: string;
};

/**
 * Records a change of the access to an account, and tells its user by mail, so that a stolen session cannot add a way in unseen. Run it in
 * the transaction of the change. Only confirmed addresses get mail, and none about an account that was created with the change.
 */
export async function recordAccountChange(
  deps: PostDeps,
  { audit, people, ...stores }: PostStores & { audit: AuditLog; people: PersonStore },
  actor: Actor,
  at: string,
  { personId, what = '', ...event }: AccountChange,
): Promise<void> {
  const { action } = event;
  await audit.addAccountChange(actor, at, event);
  const person = ACCOUNT_CHANGES[action] === null ? null : await people.find(personId);
  if (!person?.emailVerified || person.email === null || person.suspended || person.createdAt === at) return;
  const detail = { personId, action, what, at, address: actor.from.address };
  await postMail(deps, stores, person.email, { kind: 'account-changed', detail }, `account ${personId}`);
}
