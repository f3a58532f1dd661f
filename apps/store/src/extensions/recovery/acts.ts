import type { AuditAction, AuditEntry, RecoveredAct, RecoveredActs } from '@svc/contracts';
import { personId, personName } from '../../core/domain/identity/caller.ts';
import { unique } from '../../core/domain/identity/names-on-record.ts';
import { actWords, concernedBy } from '../../core/domain/mail/act-words.ts';
import type { Parts, Stores } from '../../core/domain/parts/parts.ts';
import { KINDS, type RecoveredAction } from './kinds.ts';
import { mayUndo, WINDOW_MS } from './may-undo.ts';

/** Acts of one kind that are listed, the newest: many of one kind do not hide those of another. */
const MAX_OF_A_KIND = 100;

type ReadStores = Pick<
  Parts,
  'audit' | 'hooks' | 'db' | 'people' | 'members' | 'apps' | 'publishers' | 'versions'
>;

type Period = { from: string; to: string };

/** The newest entries of one action. */
const newest = (
  { audit }: Pick<Stores, 'audit'>,
  period: Period,
  of: { action: AuditAction; actor?: string; publisher?: string },
): Promise<AuditEntry[]> =>
  audit.find({ ...period, ...of, direction: 'desc', after: null, limit: MAX_OF_A_KIND });

/** The acts in the name of a user: their own, and the memberships that began with their invitations. */
async function actsIn(stores: ReadStores, id: string, period: Period): Promise<AuditEntry[]> {
  const actor = personName(id);
  const own: AuditEntry[] = [];
  for (const action of Object.keys(KINDS) as RecoveredAction[])
    own.push(...(await newest(stores, period, { action, actor })));
  const slugs = unique([
    ...(await stores.people.membershipsOf(id)).keys(),
    ...own.map(({ publisher }) => publisher),
  ]);
  for (const publisher of slugs) {
    const joined = await newest(stores, period, { action: 'member.add', publisher });
    own.push(...joined.filter(({ actor: by, detail }) => detail.invitedBy === id && by !== actor));
  }
  return own;
}

/** When an account was recovered, if that was in the last 30 days; and the time before it. */
async function periodOf(
  { people }: Pick<Stores, 'people'>,
  id: string,
  now: Date,
): Promise<(Period & { recoveredAt: string }) | null> {
  const recoveredAt = await people.recoveredAt(id);
  const since = Date.parse(recoveredAt ?? '');
  if (recoveredAt === null || now.getTime() - since > WINDOW_MS) return null;
  return { recoveredAt, from: new Date(since - WINDOW_MS).toISOString(), to: recoveredAt };
}

/** Whether the user of an act can undo it now, and what to do otherwise. */
async function stateOf(
  stores: ReadStores,
  act: AuditEntry,
  me: { id: string; isAdministrator: boolean },
): Promise<Pick<RecoveredAct, 'state' | 'hint'>> {
  const { isInEffect, hint = '' } = KINDS[act.action as RecoveredAction];
  if (isInEffect === 'ended') return { state: 'ended', hint: '' };
  if (isInEffect === 'final') return { state: 'final', hint };
  if (!(await isInEffect(stores, act, me.id))) return { state: 'ended', hint: '' };
  if (act.publisher === null || (await mayUndo(stores, { ...act, publisher: act.publisher }, me)))
    return { state: 'open', hint: '' };
  return {
    state: 'final',
    hint: `You are no owner of ${act.publisher} any more: ask its owners, or write to the operator of the store.`,
  };
}

const ORDER: readonly RecoveredAct['state'][] = ['open', 'final', 'ended'];

/**
 * What was done in the name of an account in the 30 days before its recovery: what can be undone first, the newest first. Empty when the
 * account was not recovered in the last 30 days.
 */
export async function recoveredActs(
  { clock, ...stores }: ReadStores & Pick<Parts, 'clock'>,
  me: { id: string; isAdministrator: boolean },
): Promise<RecoveredActs> {
  const period = await periodOf(stores, me.id, clock());
  if (!period) return { recoveredAt: null, acts: [] };
  const acts = await actsIn(stores, me.id, period);
  const concerned = unique(acts.flatMap((act) => [concernedBy(act), personId(act.actor)]));
  const names = new Map((await stores.people.findAll(concerned)).map(({ id, name }) => [id, name]));
  const shown: RecoveredAct[] = [];
  for (const { id, at, publisher, ...act } of acts) {
    const about = { ...act, ...(publisher !== null && { publisher }) };
    const event = { ...about, appId: act.appId ?? undefined, version: act.version ?? undefined };
    const words = actWords(event as Parameters<typeof actWords>[0], (of) => names.get(of));
    shown.push({ id, at, publisher, words, ...(await stateOf(stores, { id, at, publisher, ...act }, me)) });
  }
  shown.sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || b.id - a.id);
  return { recoveredAt: period.recoveredAt, acts: shown };
}

/** Finds one of these acts; undefined for an act of another user, or of another time. */
export async function findAct(
  { clock, ...stores }: ReadStores & Pick<Parts, 'clock'>,
  me: { id: string },
  actId: number,
): Promise<AuditEntry | undefined> {
  const period = await periodOf(stores, me.id, clock());
  return period ? (await actsIn(stores, me.id, period)).find(({ id }) => id === actId) : undefined;
}
