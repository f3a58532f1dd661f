import type { Advice, Emergency, EmergencyPreview, NewEmergency } from '@svc/contracts';
import { LIMITS } from '@svc/contracts';
import type { AuditEvent } from '../../core/domain/audit/audit-log.ts';
import { recordDecision, takeBack } from '../../core/domain/decisions/record-decision.ts';
import { needsTwo, type TwoPersonsPolicy } from '../../core/domain/decisions/two-persons.ts';
import type { Caller } from '../../core/domain/identity/caller.ts';
import { listInCatalog } from '../../core/domain/listings/list-in-catalog.ts';
import { notifyMembers, notifyRole, type PostDeps } from '../../core/domain/mail/post-mail.ts';
import type { ChangeParts, Stores } from '../../core/domain/parts/parts.ts';
import { requireChange } from '../../core/domain/versions/changes.ts';
import type { VersionRef } from '../../core/domain/versions/version-record.ts';
import { setSuspended, type Target } from '../../core/moderation/set-suspended.ts';
import { changeWithin, type RoleDeps } from '../../core/people/administer.ts';
import type { RevocationListing } from '../../core/revocations/revocation-list.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { EmergencyStore } from './emergency-store.ts';

/** The stores that emergencies use, in one transaction. */
export type EmergencyStores = Stores & { emergencies: EmergencyStore };

type ReadStores = Pick<
  EmergencyStores,
  'emergencies' | 'publishers' | 'apps' | 'tokens' | 'members' | 'people'
>;

export type EmergencyDeps = ChangeParts<EmergencyStores> &
  ReadStores &
  RoleDeps & {
    revocationList: Pick<RevocationListing, 'renew'>;
    policy: { emergencyInstalls: number | null } & TwoPersonsPolicy;
  };

const ADVICE_WORDS: Readonly<Record<Advice, string>> = {
  'disconnect-accounts': 'Disconnect the accounts that you connected to it.',
  'rotate-keys': 'Replace the keys and passwords that you gave it.',
  uninstall: 'Uninstall it.',
};

/** The reason as users see it, with what to do. */
const reasonFor = ({ reason, advice }: NewEmergency): string =>
  [reason, ...[...new Set(advice)].map((item) => ADVICE_WORDS[item])]
    .join(' ')
    .slice(0, LIMITS.note)
    .toWellFormed();

async function targetOf(
  { publishers, apps }: Pick<EmergencyStores, 'publishers' | 'apps'>,
  { publisher, appId }: Pick<NewEmergency, 'publisher' | 'appId'>,
): Promise<{ target: Target; name: string }> {
  const app = appId === undefined ? null : await apps.find(appId);
  const slug = appId === undefined ? publisher : app?.publisher;
  const owner = slug === undefined ? null : await publishers.find(slug);
  if (owner) return { target: { publisher: owner.slug, appId: app?.appId ?? null }, name: owner.name };
  throw new ApiError('not_found', 'There is no such publisher or app.');
}

/** Members that a preview lists. */
const LISTED = 100;

/** The members of a publisher, whose accounts an emergency may suspend. */
async function membersOf(
  { members, people }: Pick<EmergencyStores, 'members' | 'people'>,
  publisher: string,
): Promise<EmergencyPreview['people']> {
  const found = (await members.of(publisher)).slice(0, LISTED).map(async ({ personId: id, role }) => {
    const person = await people.find(id);
    return person ? [{ id, name: person.name, role, suspended: person.suspended }] : [];
  });
  return (await Promise.all(found)).flat();
}

/**
 * What an emergency would reach, and whether a second administrator must confirm a yank.
 * @throws ApiError not_found
 */
export async function previewEmergency(
  deps: Pick<EmergencyDeps, 'clock' | 'policy'> & ReadStores,
  of: Pick<NewEmergency, 'publisher' | 'appId'>,
): Promise<EmergencyPreview & { target: Target }> {
  const { target, name } = await targetOf(deps, of);
  const now = deps.clock().toISOString();
  const tokens = (await deps.tokens.liveFor(target.publisher, now)).length;
  const { dependants, ...counts } = await deps.emergencies.reach(target, now);
  const max = deps.policy.emergencyInstalls;
  const { appId } = target;
  return {
    target,
    name,
    app: appId === null ? null : ((await deps.emergencies.newestOf([appId])).get(appId) ?? null),
    reach: { ...counts, tokens, dependants },
    needsSecond: max !== null && counts.installs > max,
    people: await membersOf(deps, target.publisher),
  };
}

/** The app or the publisher that a suspension is about. */
const suspendable = ({ publishers, apps }: EmergencyStores, { publisher, appId }: Target) =>
  appId === null ? publishers.find(publisher) : apps.find(appId);

async function suspend(
  deps: PostDeps,
  stores: EmergencyStores,
  caller: Caller,
  target: Target,
  { reason, at }: { reason: string; at: string },
) {
  if ((await suspendable(stores, target))?.suspended) return false;
  await setSuspended(deps, stores, caller, target, { suspended: true, reason, at });
  return true;
}

/** Ends the sessions of all members, but that of the caller. */
async function endSessions(
  { members, sessions }: EmergencyStores,
  caller: Caller,
  publisher: string,
): Promise<number> {
  let ended = 0;
  for (const { personId } of await members.of(publisher)) {
    const own = caller.kind === 'person' && caller.person.id === personId ? caller.sessionId : '';
    ended += await sessions.endAll(personId, own);
  }
  return ended;
}

/** Suspends the chosen members who are not suspended yet. One who has left the publisher since is suspended too. @returns them */
async function suspendMembers(
  deps: EmergencyDeps,
  stores: EmergencyStores,
  caller: Caller,
  { acts, reason }: Emergency,
  at: string,
): Promise<string[]> {
  const suspended: string[] = [];
  for (const id of new Set(acts.suspendMembers ?? [])) {
    const person = await stores.people.find(id);
    if (!person || person.suspended) continue;
    await changeWithin(deps, stores, caller, id, { suspended: true, reason }, at);
    suspended.push(id);
  }
  return suspended;
}

/** Updates the catalogue for moved versions, and records each move. */
async function follow(
  stores: EmergencyStores,
  caller: Caller,
  moved: readonly VersionRef[],
  event: Omit<AuditEvent, 'appId' | 'version'>,
  at: string,
): Promise<void> {
  for (const appId of new Set(moved.map((ref) => ref.appId))) await listInCatalog(stores, appId);
  await stores.audit.addAll(
    caller,
    at,
    moved.map(({ appId, version }) => ({ ...event, appId, version })),
  );
}

/** The rule that emergencies cite, if the policy has it. */
const MALICIOUS = 'malicious';

/** Carries an emergency out, in the transaction of its decision. */
async function carryOut(
  deps: EmergencyDeps,
  stores: EmergencyStores,
  caller: Caller,
  emergency: Emergency,
  at: string,
) {
  const { id, publisher, appId, acts, reason } = emergency;
  const target = { publisher, appId };
  const mover = await requireChange(stores, 'startEmergency', caller, { publisher }, at);
  // A job of a CI workflow would get another token at once.
  if (acts.revokeTokens) await deps.hooks.tokensRevoked(stores, publisher);
  const yanked = acts.yank ? await stores.emergencies.yankAll(target, reason, mover) : [];
  const isSuspended = acts.suspend && (await suspend(deps, stores, caller, target, { reason, at }));
  const effects = {
    versionsYanked: yanked.length,
    suspended: isSuspended,
    tokensRevoked: acts.revokeTokens ? await stores.emergencies.revokeTokens(publisher, at) : 0,
    sessionsEnded: acts.endSessions ? await endSessions(stores, caller, publisher) : 0,
    membersSuspended: await suspendMembers(deps, stores, caller, emergency, at),
  };
  await follow(
    stores,
    caller,
    yanked,
    { action: 'version.yank', publisher, detail: { reason, emergency: id } },
    at,
  );
  await stores.emergencies.setEffects(id, effects);
  const { membersSuspended, ...counted } = effects;
  const detail = { emergency: id, reason, ...counted, membersSuspended: membersSuspended.length };
  const about = { publisher, ...(appId !== null && { appId }) };
  const decision = { kind: 'emergency', ...about, suggested: MALICIOUS, note: reason } as const;
  await recordDecision({ newId: () => id }, stores, caller, at, decision);
  await stores.audit.add(caller, at, { action: 'emergency.act', ...about, detail });
  await notifyMembers(deps, stores, publisher, {
    kind: 'emergency',
    detail: { publisher, appId, reason, ...counted },
  });
  return { ...emergency, effects };
}

/** Asks the other administrators to confirm. */
async function askForSecond(
  deps: EmergencyDeps,
  stores: EmergencyStores,
  caller: Caller,
  emergency: Emergency,
) {
  const { id, publisher, startedAt, reason } = emergency;
  await stores.audit.add(caller, startedAt, {
    action: 'emergency.propose',
    publisher,
    detail: { emergency: id, reason },
  });
  const mail = { kind: 'emergency-waiting', detail: { publisher, reason } } as const;
  await notifyRole(deps, stores, 'administrator', mail, caller.name);
}

/**
 * Starts an emergency: carries it out, or asks for a second administrator where the policy demands one for a yank. When it is carried
 * out, the signed list has the yanks before this resolves.
 * @throws ApiError not_found
 */
export async function startEmergency(
  deps: EmergencyDeps,
  caller: Caller,
  body: NewEmergency,
): Promise<Emergency> {
  const { yank, suspend: suspends, revokeTokens, endSessions: ends, suspendMembers: chosen } = body;
  const emergency = await deps.unitOfWork(async (stores) => {
    const { target, reach, needsSecond, people } = await previewEmergency({ ...deps, ...stores }, body);
    if (chosen.some((id) => !people.some((member) => member.id === id)))
      throw new ApiError(
        'not_found',
        'One of `suspendMembers` is not a member of this publisher: read the preview again.',
      );
    const at = deps.clock().toISOString();
    const fresh: Emergency = {
      id: deps.newId(),
      state: 'waiting',
      ...target,
      acts: { yank, suspend: suspends, revokeTokens, endSessions: ends, suspendMembers: chosen },
      reason: reasonFor(body),
      reach,
      effects: null,
      startedBy: caller.name,
      startedAt: at,
      decidedBy: null,
      decidedAt: null,
      undoneBy: null,
      undoneAt: null,
    };
    await stores.emergencies.add(fresh);
    if (needsSecond && yank) {
      await askForSecond(deps, stores, caller, fresh);
      return fresh;
    }
    const decided = await stores.emergencies.decide(fresh.id, 'done', { by: caller.name, at });
    return carryOut(deps, stores, caller, decided ?? fresh, at);
  });
  if (emergency.state === 'done') await deps.revocationList.renew();
  return emergency;
}

/** Tells the administrators who were asked that an emergency no longer waits. */
const tellDecided = (deps: PostDeps, stores: EmergencyStores, caller: Caller, of: Emergency) =>
  notifyRole(
    deps,
    stores,
    'administrator',
    {
      kind: 'emergency-decided',
      detail: { publisher: of.publisher, state: of.state === 'refused' ? 'refused' : 'done' },
    },
    caller.name,
  );

async function requireEmergency(
  { emergencies }: Pick<EmergencyStores, 'emergencies'>,
  id: string,
): Promise<Emergency> {
  const found = await emergencies.find(id);
  if (found) return found;
  throw new ApiError('not_found', 'There is no emergency with this id.');
}

const handled = ({ state }: Emergency) =>
  new ApiError('already_handled', `This emergency is ${state}: reload the page.`);

/**
 * Confirms an emergency of another administrator, and carries it out. Of two who confirm at the same time, one does.
 * @throws ApiError not_found, already_handled; forbidden for the administrator who started it, and for automation
 */
export async function confirmEmergency(deps: EmergencyDeps, caller: Caller, id: string): Promise<Emergency> {
  const emergency = await deps.unitOfWork(async (stores) => {
    const waiting = await requireEmergency(stores, id);
    if (caller.kind !== 'person' || waiting.startedBy === caller.name)
      throw new ApiError(
        'forbidden',
        'Another administrator than the one who started it must confirm, signed in.',
      );
    const at = deps.clock().toISOString();
    const decided = await stores.emergencies.decide(id, 'done', { by: caller.name, at });
    if (!decided) throw handled(waiting);
    await tellDecided(deps, stores, caller, decided);
    return carryOut(deps, stores, caller, decided, at);
  });
  await deps.revocationList.renew();
  return emergency;
}

/**
 * Refuses an emergency that waits.
 * @throws ApiError not_found, already_handled
 */
export function refuseEmergency(
  deps: EmergencyDeps,
  caller: Caller,
  id: string,
  reason: string,
): Promise<Emergency> {
  return deps.unitOfWork(async (stores) => {
    const waiting = await requireEmergency(stores, id);
    const at = deps.clock().toISOString();
    const refused = await stores.emergencies.decide(id, 'refused', { by: caller.name, at });
    if (!refused) throw handled(waiting);
    await tellDecided(deps, stores, caller, refused);
    const detail = { emergency: id, reason };
    await stores.audit.add(caller, at, { action: 'emergency.refuse', publisher: refused.publisher, detail });
    return refused;
  });
}

/** Ends the suspension of an emergency, unless it ended or another one took its place. */
async function unsuspend(
  deps: PostDeps,
  stores: EmergencyStores,
  caller: Caller,
  emergency: Emergency,
  { reason, at }: { reason: string; at: string },
) {
  const now = await suspendable(stores, emergency);
  if (!now?.suspended || now.suspension?.at !== emergency.decidedAt) return;
  await setSuspended(deps, stores, caller, emergency, { suspended: false, reason, at });
}

/** Undoes an emergency in a transaction; versions that need two persons stay yanked. Renew the revocation list after it. */
export async function undo(
  deps: RoleDeps & { policy: TwoPersonsPolicy },
  stores: EmergencyStores,
  caller: Caller,
  id: string,
  reason: string,
): Promise<Emergency> {
  const before = await requireEmergency(stores, id);
  const at = deps.clock().toISOString();
  const mover = await requireChange(stores, 'undoEmergency', caller, { publisher: before.publisher }, at);
  const undone = await stores.emergencies.undo(id, mover);
  if (!undone) throw handled(before);
  const { publisher, appId, decidedAt, effects } = undone;
  if (effects?.suspended) await unsuspend(deps, stores, caller, undone, { reason, at });
  for (const id of effects?.membersSuspended ?? []) {
    const person = await stores.people.find(id);
    // Unless the suspension ended, or another one took its place.
    if (person?.suspended && person.suspension?.at === decidedAt)
      await changeWithin(deps, stores, caller, id, { suspended: false, reason }, at);
  }
  const target = { publisher, appId };
  const yanked = await stores.emergencies.yankedAt(target, decidedAt ?? '');
  // One administrator undoes an emergency: these are published again one by one, by two.
  const kept = yanked.filter((version) => needsTwo(deps.policy, version));
  const back = await stores.emergencies.unyankAll(target, decidedAt ?? '', reason, mover, kept);
  const event = { action: 'version.unyank', publisher, detail: { reason, emergency: id } } as const;
  await follow(stores, caller, back, event, at);
  const detail = {
    emergency: id,
    reason,
    versionsPublished: back.length,
    ...(kept.length > 0 && { versionsKept: kept.length }),
  };
  await stores.audit.add(caller, at, { action: 'emergency.undo', publisher, detail });
  await notifyMembers(deps, stores, publisher, { kind: 'emergency-undone', detail: { publisher, reason } });
  await takeBack(deps, stores, caller, { kind: 'emergency', publisher, appId, id }, { note: reason, at });
  return undone;
}

/**
 * Undoes an emergency: publishes the versions that it yanked, unless they were yanked again since, and ends its suspension. Revoked
 * tokens and ended sessions stay ended: what a recovery revoked since must not come back.
 * @throws ApiError not_found, already_handled
 */
export async function undoEmergency(
  deps: EmergencyDeps,
  caller: Caller,
  id: string,
  reason: string,
): Promise<Emergency> {
  const emergency = await deps.unitOfWork((stores) => undo(deps, stores, caller, id, reason));
  await deps.revocationList.renew();
  return emergency;
}
