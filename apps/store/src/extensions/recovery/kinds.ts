import type { AuditAction, AuditEntry, MemberRole } from '@svc/contracts';
import type { PublisherAction } from '../../core/domain/audit/audit-log.ts';
import type { PersonCaller } from '../../core/domain/identity/caller.ts';
import type { Member } from '../../core/domain/identity/member-store.ts';
import { concernedBy } from '../../core/domain/mail/act-words.ts';
import { recordPublisherChange } from '../../core/domain/mail/record-publisher-change.ts';
import type { Parts, Stores } from '../../core/domain/parts/parts.ts';
import { requireChange } from '../../core/domain/versions/changes.ts';
import { type LifeDeps, moveApp } from '../../core/publishers/lives.ts';
import { requireActiveOwner } from '../../core/publishers/members.ts';
import { editPublisher, type OwnPublisherDeps } from '../../core/publishers/own-publisher.ts';
import { retractVersion, type YankDeps, yankVersion } from '../../core/publishing/yank-version.ts';
import { ApiError } from '../../platform/api-error.ts';
import { beOwnerAgain, type PublisherAct } from './may-undo.ts';

export type UndoDeps = LifeDeps & OwnPublisherDeps & YankDeps & Pick<Stores, 'versions'>;

type CheckStores = Pick<Parts, 'hooks' | 'db' | 'members' | 'people' | 'apps' | 'publishers' | 'versions'>;

/** What an act in the name of a recovered account is now, and how its user undoes it. */
type Kind = {
  /** Whether it still has its effect; `ended`: the recovery ended it; `final`: it cannot be undone here. */
  isInEffect: ((stores: CheckStores, act: AuditEntry, me: string) => Promise<boolean>) | 'ended' | 'final';
  undo?(deps: UndoDeps, caller: PersonCaller, act: AuditEntry): Promise<unknown>;
  /** What to do about it instead. */
  hint?: string;
};

/** Acts that are listed after a recovery. */
export type RecoveredAction =
  | PublisherAction
  | Extract<
      AuditAction,
      | `version.${'submit' | 'confirm' | 'yank'}`
      | `token.${'issue' | 'revoke'}`
      | 'invitation.create'
      | 'device.approve'
      | 'app.delete'
    >;

/** @throws ApiError already_handled */
export async function requireInEffect(
  stores: CheckStores,
  { isInEffect }: Pick<Kind, 'isInEffect'>,
  act: AuditEntry,
  caller: PersonCaller,
): Promise<void> {
  const isIt = typeof isInEffect === 'function' && (await isInEffect(stores, act, caller.person.id));
  if (isIt) return;
  throw new ApiError('already_handled', 'This has no effect any more: it was undone, or changed since.');
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const memberIn = async ({ members }: Pick<Stores, 'members'>, { publisher, ...act }: AuditEntry) =>
  (await members.of(publisher ?? '')).find(({ personId }) => personId === concernedBy(act));

/**
 * Undoes a change of the members in one transaction. A user who lost the publisher by what followed becomes its owner again first.
 * @throws ApiError already_handled, forbidden, last_owner
 */
const inMembers =
  (
    kind: Pick<Kind, 'isInEffect'>,
    change: (stores: Stores, act: PublisherAct, caller: PersonCaller) => Promise<'removed' | 'changed'>,
  ) =>
  (deps: UndoDeps, caller: PersonCaller, { publisher, ...entry }: AuditEntry): Promise<void> =>
    deps.unitOfWork(async (stores) => {
      const act: PublisherAct = { ...entry, publisher: publisher ?? '' };
      await requireInEffect({ ...stores, hooks: deps.hooks }, kind, act, caller);
      await beOwnerAgain(stores, act, caller);
      const how = await change(stores, act, caller);
      await requireActiveOwner(stores, act.publisher);
      const personId = concernedBy(act) ?? caller.person.id;
      const role = (await memberIn(stores, act))?.role ?? 'member';
      const detail = { personId, role, undone: act.id };
      const action = how === 'removed' ? 'member.remove' : 'member.change';
      const at = deps.clock().toISOString();
      await recordPublisherChange(deps, stores, caller, at, { action, publisher: act.publisher, detail });
    });

/** The member that an entry took away, or changed. */
const memberBefore = (act: PublisherAct, role: MemberRole): Member => {
  const ownerSince = text(act.detail.ownerSince);
  return {
    ...{ publisher: act.publisher, personId: concernedBy(act) ?? '', role },
    since: text(act.detail.since) ?? ownerSince ?? act.at,
    ...(ownerSince !== undefined && { ownerSince }),
  };
};

/** Gives a member the role of before; since when they are a member does not change. */
async function backAs(stores: Stores, act: PublisherAct, before: Member): Promise<void> {
  const now = await memberIn(stores, act);
  await stores.members.restore({ ...before, since: now?.since ?? before.since });
}

const roleIn = (value: unknown): MemberRole => (value === 'owner' ? 'owner' : 'member');

const joined: Pick<Kind, 'isInEffect'> = {
  isInEffect: async (stores, act) => (await memberIn(stores, act))?.since === act.at,
};

const changed: Pick<Kind, 'isInEffect'> = {
  isInEffect: async (stores, act) => {
    const { role, before } = act.detail;
    return before !== undefined && before !== role && (await memberIn(stores, act))?.role === role;
  },
};

const removed: Pick<Kind, 'isInEffect'> = {
  isInEffect: async (stores, act) =>
    (await memberIn(stores, act)) === undefined &&
    (await stores.people.find(concernedBy(act) ?? '')) !== null &&
    (await stores.publishers.find(act.publisher ?? '')) !== null,
};

const handedOver: Pick<Kind, 'isInEffect'> = {
  isInEffect: async (stores, act, me) =>
    (await memberIn(stores, act))?.role === 'owner' &&
    (await stores.people.membershipsOf(me)).get(act.publisher ?? '') !== 'owner',
};

/** Moves an app back from where an act moved it. */
function moved(ends: (act: AuditEntry) => { at: string; back: string }): Kind {
  const kind: Pick<Kind, 'isInEffect'> = {
    isInEffect: async ({ apps }, act) => {
      const { at, back } = ends(act);
      return at !== '' && back !== '' && (await apps.find(act.appId ?? ''))?.publisher === at;
    },
  };
  const undo: Kind['undo'] = (deps, caller, act) =>
    deps.unitOfWork(async (stores) => {
      const { at: from, back: to } = ends(act);
      const [appId, publisher] = [act.appId ?? '', act.publisher ?? ''];
      await requireInEffect({ ...stores, hooks: deps.hooks }, kind, act, caller);
      await beOwnerAgain(stores, { ...act, publisher }, caller);
      const at = deps.clock().toISOString();
      const mover = await requireChange(stores, 'undoRecovered', caller, { publisher }, at);
      await moveApp(deps, stores, { appId, from, to }, mover);
      const event = {
        action: 'app.transfer',
        appId,
        publisher: to,
        detail: { from, to, undone: act.id },
      } as const;
      await recordPublisherChange(deps, stores, caller, at, event);
    });
  return { ...kind, undo };
}

const WHY = 'It was uploaded by someone who used the account of a member.';

/** An upload: it is retracted while it is in review, and yanked once it is published. */
const uploaded: Kind = {
  isInEffect: async ({ versions }, { appId, version }) => {
    const found = await versions.find({ appId: appId ?? '', version: version ?? '' });
    return found !== null && ['in_review', 'approved', 'published'].includes(found.state);
  },
  undo: async (deps, caller, { appId, version }) => {
    const ref = { appId: appId ?? '', version: version ?? '' };
    const found = await deps.versions.find(ref);
    if (found?.state === 'in_review') return retractVersion(deps, caller, ref);
    return yankVersion(deps, caller, ref, { reason: WHY });
  },
};

const ended: Kind = { isInEffect: 'ended' };
const final = (hint: string): Kind => ({ isInEffect: 'final', hint });
const AGAIN = 'Its secret is gone: add it again.';

/** Every act that is listed after a recovery. One without an entry does not compile. */
export const KINDS: Record<RecoveredAction, Kind> = {
  'member.add': {
    ...joined,
    undo: inMembers(joined, async ({ members, invitations }, act) => {
      const id = concernedBy(act) ?? '';
      await members.remove(act.publisher, id);
      await invitations.removeBy(act.publisher, id);
      return 'removed';
    }),
  },
  'member.change': {
    ...changed,
    undo: inMembers(changed, async (stores, act) => {
      await backAs(stores, act, memberBefore(act, roleIn(act.detail.before)));
      return 'changed';
    }),
  },
  'member.remove': {
    ...removed,
    undo: inMembers(removed, async ({ members }, act) => {
      await members.restore(memberBefore(act, roleIn(act.detail.role)));
      return 'changed';
    }),
  },
  'publisher.transfer': {
    ...handedOver,
    undo: inMembers(handedOver, async (stores, act) => {
      const { ownerSince: _of, ...member } = memberBefore(act, roleIn(act.detail.before));
      await backAs(stores, act, member);
      return 'changed';
    }),
  },
  'publisher.change': {
    isInEffect: async ({ publishers }, { publisher, detail }) =>
      text(detail.websiteBefore) !== undefined &&
      ((await publishers.find(publisher ?? ''))?.website ?? '') === detail.website &&
      detail.website !== detail.websiteBefore,
    undo: (deps, caller, { publisher, detail }) =>
      editPublisher(deps, caller, publisher ?? '', { website: text(detail.websiteBefore) || null }),
  },
  'app.offer': moved(({ publisher, detail }) => ({ at: text(detail.to) ?? '', back: publisher ?? '' })),
  'app.transfer': moved(({ publisher, detail }) => ({ at: publisher ?? '', back: text(detail.from) ?? '' })),
  'app.reassign': final('Give it back in the administration.'),
  'reviewer.deposit': {
    isInEffect: (stores, act, me) => stores.hooks.isInEffect(stores, act, me),
    undo: (deps, caller, act) => deps.hooks.undoAct(caller, act),
  },
  'version.submit': uploaded,
  'version.confirm': uploaded,
  'version.yank': final('Only an administrator can publish it again: write to the operator of the store.'),
  'token.issue': ended,
  'invitation.create': ended,
  'device.approve': ended,
  'ci.add': ended,
  'webhook.add': ended,
  'token.revoke': final('Create a new token where one is missing.'),
  'ci.remove': final('Trust the workflow again, if it is yours.'),
  'webhook.remove': final(AGAIN),
  'reviewer.remove': final(AGAIN),
  'app.publishing': final('Check on the page of the app who may publish it.'),
  'app.delete': final('It cannot be restored: write to the operator of the store.'),
  'publisher.delete': final('It cannot be restored: write to the operator of the store.'),
  'publisher.suspend': final('End the suspension in the administration.'),
  'publisher.unsuspend': final('Suspend it again in the administration.'),
  'publisher.verify': final('Check the website of the publisher.'),
  'publisher.unverify': final('Verify the website again.'),
};
