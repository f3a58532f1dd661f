import type { AuditEntry } from '@svc/contracts';
import { isAdministrator, type PersonCaller, personName } from '../../core/domain/identity/caller.ts';
import type { Member } from '../../core/domain/identity/member-store.ts';
import { concernedBy } from '../../core/domain/mail/act-words.ts';
import type { Stores } from '../../core/domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';

/** An act on a publisher. */
export type PublisherAct = AuditEntry & { publisher: string };

const LOSSES = ['member.remove', 'member.change', 'publisher.transfer'] as const;

/** How long before a recovery an act counts, and how long after it the page lists it. */
export const WINDOW_MS = 30 * 24 * 3_600_000;

/** Changes of the owners of a publisher that are looked at. */
const MAX_LOSSES = 100;

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The owner that a user was before an entry took it; null for an entry that took nothing from them. */
function ownerBefore(
  { action, actor, detail, at }: PublisherAct,
  id: string,
  publisher: string,
): Member | null {
  const isOwn = action === 'publisher.transfer' && actor === personName(id);
  const isTaken =
    action === 'member.remove'
      ? concernedBy({ action, detail }) === id && detail.role === 'owner'
      : action === 'member.change' && concernedBy({ action, detail }) === id && detail.before === 'owner';
  if (!isOwn && !isTaken) return null;
  const ownerSince = text(detail.ownerSince) ?? at;
  return { publisher, personId: id, role: 'owner', since: text(detail.since) ?? ownerSince, ownerSince };
}

/**
 * The owner that a user was when an act in their name began to take their publisher from them: they lost the ownership since, and no
 * owner of before the act is left who could give it back. Null otherwise: a user who left, or was removed by owners of their own time,
 * does not return by a recovery.
 */
async function lostOwner(
  { audit, members, people }: Pick<Stores, 'audit' | 'members' | 'people'>,
  { publisher, at }: PublisherAct,
  id: string,
): Promise<Member | null> {
  const entries = await audit.find({
    ...{ publisher, action: LOSSES, from: at, direction: 'asc', after: null, limit: MAX_LOSSES },
  });
  const lost = entries
    .map((entry) => ownerBefore({ ...entry, publisher }, id, publisher))
    .find((member) => member !== null);
  if (!lost) return null;
  const recent = new Date(Date.parse(at) - WINDOW_MS).toISOString();
  const older = (await members.of(publisher)).filter(({ role, addedBy, since, ownerSince }) => {
    const began = ownerSince ?? since;
    // An accomplice whom an earlier act in the name of the user made an owner is none of before.
    return role === 'owner' && began < at && !(addedBy === id && began >= recent);
  });
  const active = (await people.findAll(older.map(({ personId }) => personId))).some((one) => !one.suspended);
  return active ? null : lost;
}

/** Whether a user may undo an act in their name on a publisher. */
export async function mayUndo(
  stores: Pick<Stores, 'audit' | 'members' | 'people'>,
  act: PublisherAct,
  { id, isAdministrator }: { id: string; isAdministrator: boolean },
): Promise<boolean> {
  if (isAdministrator || (await stores.people.membershipsOf(id)).get(act.publisher) === 'owner') return true;
  return (await lostOwner(stores, act, id)) !== null;
}

/**
 * Refuses a caller who may not undo an act on a publisher, and makes one who lost it by what followed its owner again. Call it in the
 * transaction of the undoing.
 * @throws ApiError forbidden
 */
export async function beOwnerAgain(
  stores: Pick<Stores, 'audit' | 'members' | 'people'>,
  act: PublisherAct,
  caller: PersonCaller,
): Promise<void> {
  const { id } = caller.person;
  if ((await stores.people.membershipsOf(id)).get(act.publisher) === 'owner') return;
  const lost = await lostOwner(stores, act, id);
  if (lost) return stores.members.restore(lost);
  if (isAdministrator(caller)) return;
  throw new ApiError('forbidden', `You are no owner of ${act.publisher} any more: ask its owners.`);
}
