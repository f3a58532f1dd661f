import { type AppealDecision, type Decision, LIMITS, type OpenAppeals } from '@svc/contracts';
import { conflictOf, type IndependencePolicy } from '../../core/domain/decisions/independent.ts';
import type { TwoPersonsPolicy } from '../../core/domain/decisions/two-persons.ts';
import { type Caller, isAdministrator, requireMember } from '../../core/domain/identity/caller.ts';
import { namesOnRecord } from '../../core/domain/identity/names-on-record.ts';
import { notifyMembers, type PostDeps } from '../../core/domain/mail/post-mail.ts';
import type { Stores as CoreStores, Parts } from '../../core/domain/parts/parts.ts';
import { requireChange } from '../../core/domain/versions/changes.ts';
import { setSuspended } from '../../core/moderation/set-suspended.ts';
import type { RevocationListing } from '../../core/revocations/revocation-list.ts';
import { unyank } from '../../core/revocations/undo-yank.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { AppealedDecision, AppealNote, AppealStore } from './appeal-store.ts';
import { aboutOf, closeAppeal } from './close-appeal.ts';

/** The stores of a transaction. */
type Stores = CoreStores & { appeals: AppealStore };

type ReadStores = Pick<Parts, 'apps' | 'decisions' | 'people' | 'publishers'> & { appeals: AppealStore };

export type AppealDeps = PostDeps &
  ReadStores &
  Pick<Parts, 'members' | 'accessRules' | 'hooks'> & {
    unitOfWork: UnitOfWork<Stores>;
    revocationList: Pick<RevocationListing, 'renew'>;
    policy: IndependencePolicy & TwoPersonsPolicy;
  };

const { appealMs, appealMessages } = LIMITS.moderation;

/** Whether a publisher may appeal a decision, or write in its appeal. */
const isOpenTo = ({ appeal, decidedAt }: AppealedDecision, now: Date): boolean =>
  appeal ? appeal.state === 'open' : now.getTime() <= Date.parse(decidedAt) + appealMs;

/** Presents decisions, with the titles of the rules that they cite, and the names of apps and of the authors of messages. */
async function present(
  { apps, appeals, decisions, ...stores }: ReadStores,
  all: readonly AppealedDecision[],
  now: Date,
): Promise<Decision[]> {
  const messages = await appeals.messages(all.map(({ id }) => id));
  const versions = [...new Set(all.map(({ policy }) => policy))];
  const policies = new Map(
    await Promise.all(versions.map(async (version) => [version, await decisions.policy(version)] as const)),
  );
  const authors = [...messages.values()].flat().map(({ author }) => author);
  const names = await namesOnRecord(stores, authors);
  const appNames = await apps.namesOf([...new Set(all.flatMap(({ appId }) => appId ?? []))]);
  return all.map((decision) => {
    const { id, kind, publisher, appId, version, rule, policy, note, decidedAt, appeal } = decision;
    const title = policies.get(policy)?.rules.find((one) => one.id === rule)?.title ?? rule;
    return {
      ...{ id, kind, publisher, appId, version, rule: { id: rule, title }, policy, note, at: decidedAt },
      appName: appId && (appNames.get(appId) ?? appId),
      appeal: appeal && {
        state: appeal.state,
        at: appeal.at,
        answer: appeal.answer,
        answeredAt: appeal.answeredAt,
      },
      canAppeal: isOpenTo(decision, now),
      messages: (messages.get(id) ?? []).map(({ author, ...message }) => ({
        ...message,
        name: names[author] ?? null,
      })),
    };
  });
}

/**
 * The last decisions about a publisher and its apps, for its members.
 * @throws ApiError not_a_member
 */
export async function decisionsOf(deps: AppealDeps, caller: Caller, publisher: string): Promise<Decision[]> {
  requireMember(caller, publisher);
  return present(deps, await deps.appeals.of(publisher), deps.clock());
}

async function requireDecision({ appeals }: Pick<Stores, 'appeals'>, id: string): Promise<AppealedDecision> {
  const found = await appeals.find(id);
  if (found) return found;
  throw new ApiError('not_found', 'There is no decision with this id.');
}

const closed = () =>
  new ApiError(
    'already_handled',
    'This decision has no open appeal: it was decided, or a decision can be appealed for 90 days only.',
  );

async function write(
  stores: Stores,
  caller: Caller,
  decision: AppealedDecision,
  message: Omit<AppealNote, 'author'>,
): Promise<void> {
  const { id } = decision;
  const all = (await stores.appeals.messages([id])).get(id) ?? [];
  if (all.filter(({ side }) => side === message.side).length >= appealMessages)
    throw new ApiError(
      'limit_reached',
      `Each side can write at most ${appealMessages} messages in an appeal.`,
    );
  await stores.appeals.addMessage(id, all.length + 1, { ...message, author: caller.name });
  const detail = { decision: id, side: message.side };
  await stores.audit.add(caller, message.at, { action: 'appeal.message', ...aboutOf(decision), detail });
}

async function presentOne(deps: AppealDeps, stores: Stores, id: string): Promise<Decision> {
  const [presented] = await present(stores, [await requireDecision(stores, id)], deps.clock());
  if (!presented) throw new Error('A decision was not presented.');
  return presented;
}

/**
 * Appeals a decision, or writes in its open appeal, for its publisher. Suspended publishers may: it is what they appeal.
 * @throws ApiError not_a_member, not_found, already_handled, limit_reached
 */
export function appeal(
  deps: AppealDeps,
  caller: Caller,
  { slug, id }: { slug: string; id: string },
  text: string,
): Promise<Decision> {
  requireMember(caller, slug);
  return deps.unitOfWork(async (stores) => {
    const decision = await requireDecision(stores, id);
    if (decision.publisher !== slug) throw new ApiError('not_found', 'There is no decision with this id.');
    const now = deps.clock();
    const at = now.toISOString();
    if (!isOpenTo(decision, now)) throw closed();
    if (!decision.appeal && !(await stores.appeals.openAppeal(id, at))) throw closed();
    await write(stores, caller, decision, { side: 'publisher', at, text });
    return presentOne(deps, stores, id);
  });
}

/** Why a caller cannot decide an appeal; null when they can. Only administrators undo what reaches users. */
async function conflictIn(
  deps: Parameters<typeof conflictOf>[0],
  caller: Caller,
  { kind, publisher, decidedBy: submittedBy }: AppealedDecision,
) {
  if (kind !== 'version-rejected' && !isAdministrator(caller)) return 'administrator' as const;
  return conflictOf(deps, caller, { publisher, submittedBy });
}

/** The open appeals, the longest waiting first. */
export async function openAppeals(deps: AppealDeps, caller: Caller): Promise<OpenAppeals> {
  const stored = await deps.appeals.openAppeals();
  const presented = await present(deps, stored, deps.clock());
  const conflicts = await Promise.all(stored.map((decision) => conflictIn(deps, caller, decision)));
  const owners = await deps.publishers.findAll([...new Set(stored.map(({ publisher }) => publisher))]);
  const names = new Map(owners.map(({ slug, name }) => [slug, name]));
  const appeals = presented.flatMap((decision, index) => {
    const found = stored[index];
    if (!found) return [];
    const publisherName = names.get(decision.publisher) ?? decision.publisher;
    return [{ ...decision, publisherName, decidedBy: found.decidedBy, conflict: conflicts[index] ?? null }];
  });
  return { appeals };
}

/**
 * Writes to the publisher in an open appeal, for a moderator.
 * @throws ApiError not_found, already_handled, limit_reached
 */
export function answerAppeal(deps: AppealDeps, caller: Caller, id: string, text: string): Promise<Decision> {
  return deps.unitOfWork(async (stores) => {
    const decision = await requireDecision(stores, id);
    if (decision.appeal?.state !== 'open') throw closed();
    const { publisher } = decision;
    await write(stores, caller, decision, { side: 'store', at: deps.clock().toISOString(), text });
    await notifyMembers(deps, stores, publisher, { kind: 'appeal-message', detail: { publisher, text } });
    return presentOne(deps, stores, id);
  });
}

/** An appeal is decided at once: there is no first of two in it. */
const NEEDS_FIRST =
  'The policy demands two persons for this version: another administrator undoes the yank first (POST /api/admin/apps/:appId/versions/:version/unyank), then you reverse the decision.';

/**
 * Takes a decision back, unless it has been undone or another one took its place.
 * @throws ApiError already_handled
 */
async function reverse(
  deps: AppealDeps,
  stores: Stores,
  caller: Caller,
  decision: AppealedDecision,
  { reason, at }: { reason: string; at: string },
): Promise<void> {
  if (await deps.hooks.undoDecision(stores, caller, decision, reason)) return;
  const { kind, publisher, appId, version, decidedAt } = decision;
  if (kind === 'app-suspended' || kind === 'publisher-suspended') {
    const found = appId === null ? await stores.publishers.find(publisher) : await stores.apps.find(appId);
    if (found?.suspension?.at !== decidedAt)
      throw new ApiError('already_handled', 'This suspension has ended, or another one took its place.');
    await setSuspended(deps, stores, caller, { publisher, appId }, { suspended: false, reason, at });
    await deps.hooks.decisionEnded(stores, caller, { kind, publisher, appId }, { note: reason, at });
    return;
  }
  const ref = { appId: appId ?? '', version: version ?? '' };
  if (kind === 'version-yanked') {
    const { status } = await unyank(deps, stores, caller, ref, { reason, at });
    if (status === 'yanked') throw new ApiError('forbidden', NEEDS_FIRST);
    return;
  }
  const mover = await requireChange(stores, 'decideAppeal', caller, { publisher }, at);
  const step = { from: 'rejected', to: 'in_review' } as const;
  // The id may be that of another publisher by now, whose version has the same number.
  const isTheirs = (await stores.versions.find(ref))?.publisher === publisher;
  if (!isTheirs || !(await stores.versions.move(ref, step, { notes: '' }, mover)))
    throw new ApiError('already_handled', 'This version is not rejected any more.');
}

const WHY_NOT = {
  uploader: 'You took this decision: another moderator decides its appeal.',
  member: 'You are a member of the publisher: another moderator decides.',
  administrator: 'Only an administrator decides appeals of yanks and suspensions.',
} as const;

/**
 * Decides an appeal: another moderator than the one who took the decision. Of two who decide at the same time, the first does. A version
 * whose rejection is reversed returns to the queue.
 * @throws ApiError not_found, already_handled, forbidden
 */
export async function decideAppeal(
  deps: AppealDeps,
  caller: Caller,
  id: string,
  { outcome, note }: AppealDecision,
): Promise<Decision> {
  const presented = await deps.unitOfWork(async (stores) => {
    const decision = await requireDecision(stores, id);
    if (decision.appeal?.state !== 'open') throw closed();
    const conflict = await conflictIn({ ...deps, ...stores }, caller, decision);
    if (conflict) throw new ApiError('forbidden', WHY_NOT[conflict]);
    const at = deps.clock().toISOString();
    if (!(await closeAppeal(deps, stores, caller, decision, { outcome, note, at }))) throw closed();
    if (outcome === 'reversed') await reverse(deps, stores, caller, decision, { reason: note, at });
    return presentOne(deps, stores, id);
  });
  if (outcome === 'reversed' && presented.kind !== 'version-rejected') await deps.revocationList.renew();
  return presented;
}
