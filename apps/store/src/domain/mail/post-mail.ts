import type { MemberRole } from '@svc/contracts';
import { count, type Rate, remaining } from '../../platform/rate.ts';
import type { RateLimitStore } from '../../platform/rate-limit-store.ts';
import type { Clock, Log } from '../../platform/system.ts';
import type { MemberStore } from '../identity/member-store.ts';
import type { PersonStore } from '../identity/person-store.ts';
import type { MailContent, MailStore } from './mail-store.ts';

/** What changes of a publisher may send, for all its members together: no one makes a store send as much as they like. */
const MAILS: Rate = { what: 'mails', limit: 200, windowMs: 60 * 60_000 };

export type PostDeps = {
  clock: Clock;
  log: Log;
  /** A fresh unique name. */
  newId(): string;
};

/** The stores that posting a mail touches. */
export type PostStores = { mails: MailStore; rateLimits: RateLimitStore };

/**
 * Puts a mail into the outbox. Run it in the transaction of what it tells of, so that neither is there without the other.
 * @param publisher whose doings the mail is about; past its share of an hour nothing more is sent
 */
export async function postMail(
  deps: PostDeps,
  { mails, rateLimits }: PostStores,
  recipient: string,
  content: MailContent,
  publisher: string | null = null,
): Promise<void> {
  const subject = `mail ${publisher}`;
  if (publisher !== null) {
    if ((await remaining({ ...deps, rateLimits }, MAILS, subject)) === 0) {
      deps.log.warn({ publisher, kind: content.kind }, 'A publisher has used up its mails of this hour.');
      return;
    }
    await count({ ...deps, rateLimits }, MAILS, subject);
  }
  const createdAt = deps.clock().toISOString();
  await mails.add({ ...content, id: deps.newId(), recipient, createdAt, nextTryAt: createdAt, tries: 0 });
}

/** Those who act for a publisher and can be reached: an address that nobody has shown to be theirs is not written to. */
async function addressesOf(
  { members, people }: { members: MemberStore; people: PersonStore },
  publisher: string,
  role: MemberRole | undefined,
): Promise<string[]> {
  const acting = (await members.of(publisher)).filter((member) => role === undefined || member.role === role);
  const found = await people.findAll(acting.map(({ personId }) => personId));
  return found.flatMap(({ email, emailVerified, suspended }) =>
    email !== null && emailVerified && !suspended ? [email] : [],
  );
}

/** The stores that writing to members touches. */
export type TellStores = PostStores & { members: MemberStore; people: PersonStore };

/**
 * Writes to those who act for a publisher. Run it in the transaction of what it tells of.
 * @param role only those with this role
 */
export async function tellMembers(
  deps: PostDeps,
  stores: TellStores,
  publisher: string,
  content: MailContent,
  role?: MemberRole,
): Promise<void> {
  for (const address of await addressesOf(stores, publisher, role)) {
    await postMail(deps, stores, address, content, publisher);
  }
}
