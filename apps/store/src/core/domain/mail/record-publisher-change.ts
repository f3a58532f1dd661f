import type { Rate } from '../../../platform/rate.ts';
import type { Actor, AuditEvent, AuditLog, PublisherAction } from '../audit/audit-log.ts';
import { personId } from '../identity/caller.ts';
import { unique } from '../identity/names-on-record.ts';
import { concernedBy } from './act-words.ts';
import { mailUser, type NotifyStores, type PostDeps } from './post-mail.ts';

/** A change of a publisher, for the audit log and the mail. */
export type PublisherChangeEvent = AuditEvent<PublisherAction>;

/** Which changes have mails of their own. */
const isMailedElsewhere = ({ action, detail = {} }: PublisherChangeEvent): boolean => {
  // All members of both publishers get a mail from `moveApp`.
  if (action === 'app.transfer' || action === 'app.reassign') return true;
  // A verification that a website lost has a mail with what to do; suspensions and names have theirs.
  if (action === 'publisher.unverify') return 'missingSince' in detail;
  if (['publisher.suspend', 'publisher.unsuspend'].includes(action)) return true;
  return action === 'publisher.change' && !('website' in detail || 'verified' in detail);
};

/** A limit of these mails alone: other mails about a publisher cannot use it up, so that no change of its owners is silent. */
const CHANGES: Rate = { what: 'mails', limit: 200, windowMs: 60 * 60_000 };

/**
 * Records a change of who owns a publisher, who acts for it, or what gives access to it; and tells all its owners, the user concerned and
 * the one who did it, if it was one of them, by mail. Run it in the transaction of the change, after it.
 */
export async function recordPublisherChange(
  deps: PostDeps,
  { audit, ...stores }: NotifyStores & { audit: AuditLog },
  actor: Actor,
  at: string,
  event: PublisherChangeEvent,
): Promise<void> {
  await audit.addPublisherChange(actor, at, event);
  const { publisher } = event;
  // The webhooks of the store itself have no owners.
  if (publisher === undefined || isMailedElsewhere(event)) return;
  const owners = (await stores.members.of(publisher)).filter(({ role }) => role === 'owner');
  const concerned = unique([
    ...owners.map((owner) => owner.personId),
    concernedBy(event),
    personId(actor.name),
  ]);
  const detail = { ...event, publisher, by: actor.name, at, address: actor.from.address };
  const about = `changes of ${publisher}`;
  for (const person of await stores.people.findAll(concerned))
    await mailUser(deps, stores, person, { kind: 'publisher-changed', detail }, about, CHANGES);
}
