import type { RevocationEntry } from '@svc/contracts';
import { systemActor } from '../../core/domain/audit/audit-log.ts';
import { listInCatalog } from '../../core/domain/listings/list-in-catalog.ts';
import type { Stores } from '../../core/domain/parts/parts.ts';
import { jobMover } from '../../core/domain/versions/changes.ts';
import type { VersionRecord, VersionRef } from '../../core/domain/versions/version-record.ts';
import type { FreshList } from './read-list.ts';
import type { KeptUpstream, UpstreamStore } from './upstream-store.ts';

type OwnStores = Stores & { upstreams: UpstreamStore };

/** The mover of what an upstream decided. */
const UPSTREAM = 'upstream';

/** Apps whose versions one statement reads. */
const AT_ONCE = 200;

/** Whether a person of this store published a version again after the upstream had yanked it: that decision is never overridden. */
const isKeptHere = (moves: readonly { by: string; from: string; to: string }[]): boolean =>
  moves.some(({ by, from, to }) => from === 'yanked' && to === 'published' && by !== UPSTREAM);

/** Yanks a carried version, or takes it out of the queue. @returns false when it is to be tried again: its check is not over */
async function yank(
  stores: OwnStores,
  record: VersionRecord,
  { reason }: RevocationEntry,
  at: string,
): Promise<boolean> {
  const { appId, version, publisher, state } = record;
  const mover = jobMover(UPSTREAM, at);
  const detail = { reason, origin: record.origin?.store ?? '' };
  const event = { appId, version, publisher, detail };
  if (state === 'submitted' || state === 'checking' || state === 'approved') return false;
  if (state === 'in_review') {
    const step = { from: 'in_review', to: 'rejected' } as const;
    await stores.versions.move(record, step, { notes: `Yanked at its origin: ${reason}` }, mover);
    await stores.audit.add(systemActor(UPSTREAM), at, { action: 'version.reject', ...event });
  }
  if (state !== 'published' || isKeptHere(await stores.upstreams.moves(record))) return true;
  const step = { from: 'published', to: 'yanked' } as const;
  if (!(await stores.versions.move(record, step, { notes: reason }, mover))) return false;
  await listInCatalog(stores, appId);
  await stores.audit.add(systemActor(UPSTREAM), at, { action: 'version.yank', ...event });
  return true;
}

/** Publishes a version again that only the upstream had yanked, as it undid its yank. */
async function undo(stores: OwnStores, record: VersionRecord, at: string): Promise<void> {
  const last = (await stores.upstreams.moves(record)).find(({ to }) => to === 'yanked');
  if (last?.by !== UPSTREAM) return;
  const { appId, version, publisher } = record;
  const step = { from: 'yanked', to: 'published' } as const;
  if (!(await stores.versions.move(record, step, { notes: '' }, jobMover(UPSTREAM, at)))) return;
  await listInCatalog(stores, appId);
  const detail = { reason: 'Its origin undid the yank.', origin: record.origin?.store ?? '' };
  const event = { action: 'version.unyank', appId, version, publisher, detail } as const;
  await stores.audit.add(systemActor(UPSTREAM), at, event);
}

/** The ids of all apps of an upstream that were looked at. */
async function appIdsOf({ upstreams }: OwnStores, id: string): Promise<string[]> {
  const appIds: string[] = [];
  for (let after = ''; ; ) {
    const page = await upstreams.appsAfter(id, after, 1_000);
    appIds.push(...page.map(({ appId }) => appId));
    const last = page.at(-1);
    if (!last || page.length < 1_000) return appIds;
    after = last.appId;
  }
}

const nameOf = ({ appId, version }: VersionRef): string => `${appId} ${version}`;

/** The versions of a list of an upstream that are carried here. */
async function carriedOn(stores: OwnStores, address: string, refs: readonly VersionRef[]) {
  const found: VersionRecord[] = [];
  for (let n = 0; n < refs.length; n += AT_ONCE)
    found.push(...(await stores.versions.findAll(refs.slice(n, n + AT_ONCE))));
  return found.filter(({ origin }) => origin?.store === address);
}

/** The carried versions of some apps that are yanked here, for whatever reason. */
async function yankedOf({ upstreams }: OwnStores, appIds: readonly string[]): Promise<VersionRef[]> {
  const found: VersionRef[] = [];
  for (let n = 0; n < appIds.length; n += AT_ONCE)
    found.push(...(await upstreams.yanked(appIds.slice(n, n + AT_ONCE))));
  return found;
}

/**
 * Does what a verified revocation list of an upstream says, and records the list, in one transaction: yanks the carried versions on it, and
 * publishes those again that are no longer on it. What a person of this store decided stays. Nothing is done when another process has
 * accepted a list since the last one was read: what it did must not be undone by an older one.
 * @param fresh a list that may replace the last accepted one
 * @returns how many versions it yanked or published
 */
export async function applyList(
  stores: OwnStores,
  { id, address, list: before }: Pick<KeptUpstream, 'id' | 'address' | 'list'>,
  { entries, tag, accepted }: FreshList,
  at: string,
): Promise<number> {
  if (!(await stores.upstreams.replaceList(id, before, accepted))) return 0;
  if (!entries) {
    await stores.upstreams.tagList(id, tag);
    return 0;
  }
  const appIds = await appIdsOf(stores, id);
  const carried = new Set(appIds);
  const listed = new Map(entries.filter(({ appId }) => carried.has(appId)).map((one) => [nameOf(one), one]));
  let isDone = true;
  let changed = 0;
  for (const record of await carriedOn(stores, address, [...listed.values()])) {
    changed += Number(record.state === 'published' || record.state === 'in_review');
    isDone = (await yank(stores, record, listed.get(nameOf(record)) as RevocationEntry, at)) && isDone;
  }
  const ended = (await yankedOf(stores, appIds)).filter((ref) => !listed.has(nameOf(ref)));
  for (const record of await carriedOn(stores, address, ended)) {
    changed += 1;
    await undo(stores, record, at);
  }
  // Without its tag the same list is fetched, and applied, again.
  if (isDone) await stores.upstreams.tagList(id, tag);
  return changed;
}
