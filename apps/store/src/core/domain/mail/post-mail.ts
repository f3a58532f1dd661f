import type { MemberRole, PersonRole } from '@svc/contracts';
import { count, type Rate, type RateLimitStore, remaining } from '../../../platform/rate.ts';
import type { Clock, Log } from '../../../platform/system.ts';
import type { AccountAction, Actor, AuditEvent, AuditLog } from '../audit/audit-log.ts';
import { personName } from '../identity/caller.ts';
import type { MemberStore } from '../identity/member-store.ts';
import type { Person, PersonStore } from '../identity/person-store.ts';
import type { MailContent, MailStore } from './mail-store.ts';

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
  if (!person || person.createdAt === at) return;
  const detail = { personId, action, what, at, address: actor.from.address };
  await mailUser(deps, stores, person, { kind: 'account-changed', detail }, `account ${personId}`);
}

/** The rate limit of mails about one publisher, to all of its members together, or about one account: no user can make a store send unlimited mail. */
const MAILS: Rate = { what: 'mails', limit: 200, windowMs: 60 * 60_000 };

export type PostDeps = {
  clock: Clock;
  log: Log;
  /** Creates a unique id. */
  newId(): string;
};

export type PostStores = { mails: MailStore; rateLimits: RateLimitStore };

/**
 * Queues a mail. Run it in the transaction of the event, so that neither exists without the other.
 * @param about the publisher or account that the mail is about; above its hourly limit no mail is sent
 */
export async function postMail(
  deps: PostDeps,
  { mails, rateLimits }: PostStores,
  recipient: string,
  content: MailContent,
  about: string | null = null,
  limit: Rate = MAILS,
): Promise<void> {
  const subject = `mail ${about}`;
  if (about !== null) {
    if ((await remaining({ ...deps, rateLimits }, limit, subject)) === 0) {
      deps.log.warn(
        { about, kind: content.kind },
        'A publisher or account has reached its hourly limit of mails.',
      );
      return;
    }
    await count({ ...deps, rateLimits }, limit, subject);
  }
  const createdAt = deps.clock().toISOString();
  await mails.add({ ...content, id: deps.newId(), recipient, createdAt, nextTryAt: createdAt, tries: 0 });
}

/**
 * Queues a mail to a user, as `postMail` does. Mails go to confirmed addresses alone, and none to suspended users.
 */
export async function mailUser(
  deps: PostDeps,
  stores: PostStores,
  { email, emailVerified, suspended }: Pick<Person, 'email' | 'emailVerified' | 'suspended'>,
  content: MailContent,
  about: string | null = null,
  limit: Rate = MAILS,
): Promise<void> {
  if (email !== null && emailVerified && !suspended)
    await postMail(deps, stores, email, content, about, limit);
}

const DAILY: Rate = { what: 'mails', limit: 1, windowMs: 24 * 60 * 60_000 };

/** Whether a mail about something is the first of the last 24 hours; counts it. Run it in the transaction of the mail. */
export async function isFirstToday(
  { clock }: PostDeps,
  { rateLimits }: PostStores,
  subject: string,
): Promise<boolean> {
  if ((await remaining({ clock, rateLimits }, DAILY, subject)) === 0) return false;
  await count({ clock, rateLimits }, DAILY, subject);
  return true;
}

/** Users of a role who get a mail. */
const MAX_OF_ROLE = 100;

/**
 * Queues a mail to the users with a role, at their verified addresses. Run it in the transaction of the event.
 * @param except the name of a caller who gets none
 */
export async function notifyRole(
  deps: PostDeps,
  stores: PostStores & { people: PersonStore },
  role: Exclude<PersonRole, 'person'>,
  content: MailContent,
  except?: string,
): Promise<void> {
  const { rows } = await stores.people.search({ role, suspended: false, after: null, limit: MAX_OF_ROLE });
  for (const person of rows)
    if (personName(person.id) !== except) await mailUser(deps, stores, person, content);
}

/** The stores that a mail to members uses. */
export type NotifyStores = PostStores & { members: MemberStore; people: PersonStore };

/**
 * Queues a mail to the members of a publisher. Run it in the transaction of the event.
 * @param role only those with this role
 */
export async function notifyMembers(
  deps: PostDeps,
  stores: NotifyStores,
  publisher: string,
  content: MailContent,
  role?: MemberRole,
): Promise<void> {
  const members = (await stores.members.of(publisher)).filter(
    (member) => role === undefined || member.role === role,
  );
  for (const person of await stores.people.findAll(members.map(({ personId }) => personId)))
    await mailUser(deps, stores, person, content, publisher);
}
