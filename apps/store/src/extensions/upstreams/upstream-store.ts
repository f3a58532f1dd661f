import {
  CARRIED_STATES,
  type CarriedApp,
  type HeadStatement,
  type PublicKey,
  type Upstream,
  type UpstreamChoices,
} from '@svc/contracts';
import type { AcceptedList } from '@svc/signing';
import { type Selectable, type SqlBool, sql } from 'kysely';
import type { VersionRef } from '../../core/domain/versions/version-record.ts';
import {
  allOf,
  firstOf,
  hasChanged,
  hasRow,
  isInactiveAt,
  isInserted,
  run,
} from '../../platform/database/queries.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';
import { updateVisibilityOfApp } from '../../platform/database/visibility.ts';
import { endOf } from '../../platform/terms.ts';

export type Failure = Pick<NonNullable<Upstream['failure']>, 'code' | 'message'>;

/** What is kept of an upstream that is read from files alone. */
export type KeptFile = {
  /** The keys of the store that makes its exports, oldest first; none where that is the upstream itself. */
  signers: PublicKey[];
  /** The last export: its id, when it began, when its import was done, and how many bundles were missing. */
  last: { id: string; at: string; importedAt: string | null; missing: number } | null;
};

/** A store whose apps this store carries. */
export type KeptUpstream = {
  id: string;
  address: string;
  /** The trusted keys, oldest first. */
  keys: PublicKey[];
  choices: UpstreamChoices;
  /** The last accepted revocation list. */
  list: AcceptedList | null;
  /** The ETag with which that list was served; null when it is to be fetched and applied again. */
  listTag: string | null;
  /** Until which publication its catalogue was read; null before the first time. */
  readUntil: string | null;
  addedAt: string;
  reachedAt: string | null;
  failure: Failure | null;
  failingSince: string | null;
  /** Null for one that is read over the network. */
  file: KeptFile | null;
};

/** An app of an upstream, with the last accepted head. */
export type KeptApp = CarriedApp & { head: HeadStatement | null };

/** Why new installs of a carried app have stopped: its store no longer has it, or failed for too long, or is no upstream any more. */
export type Held = 'gone' | 'silent';

/** A version, and the hash of its bundle. */
type VersionSum = VersionRef & { sha256: string };

/** Apps in one statement. */
const AT_ONCE = 200;

const parsed = <T>(json: string | null): T | null => (json === null ? null : (JSON.parse(json) as T));

const upstreamOf = (row: Selectable<Tables['upstreams']>): KeptUpstream => ({
  ...{ id: row.id, address: row.address, addedAt: row.added_at, reachedAt: row.reached_at },
  keys: JSON.parse(row.keys_json),
  choices: JSON.parse(row.choices_json),
  list: parsed(row.list_json),
  listTag: row.list_tag,
  readUntil: row.read_until,
  failure: parsed(row.failure_json),
  failingSince: row.failing_since,
  file: parsed(row.file_json),
});

const appOf = (row: Selectable<Tables['carried_apps']>): KeptApp => ({
  ...{ appId: row.app_id, version: row.version, note: row.note, checkedAt: row.checked_at },
  state: row.state as CarriedApp['state'],
  head: parsed(row.head_json),
});

/** A literal, as in the partial index. */
const IS_YANKED = sql<SqlBool>`v.state = 'yanked'`;

const isOtherThan = (held: Held | null) =>
  held === null ? sql<SqlBool>`held is not null` : sql<SqlBool>`(held is null or held <> ${held})`;

export function createUpstreamStore(db: Database) {
  const change = (id: string) => db.updateTable('upstreams').where('id', '=', id);
  const apps = (upstream: string) =>
    db.selectFrom('carried_apps').selectAll().where('upstream', '=', upstream);
  return {
    list: (): Promise<KeptUpstream[]> =>
      allOf(db.selectFrom('upstreams').selectAll().orderBy('id'), upstreamOf),
    find: (id: string): Promise<KeptUpstream | null> =>
      firstOf(db.selectFrom('upstreams').selectAll().where('id', '=', id), upstreamOf),
    /** Adds an upstream, with the apps that were carried of it before; false when its address is one already. */
    async add({ id, address, keys, choices, addedAt, file }: KeptUpstream): Promise<boolean> {
      const isNew = await isInserted(
        db.insertInto('upstreams').values({
          ...{ id, address, added_at: addedAt },
          keys_json: JSON.stringify(keys),
          choices_json: JSON.stringify(choices),
          file_json: file && JSON.stringify(file),
        }),
      );
      if (!isNew) return false;
      const before = db
        .selectFrom('apps as a')
        .innerJoin('publishers as p', 'p.slug', 'a.publisher')
        .select(({ val }) => [val(id).as('upstream'), 'a.app_id', val('').as('version')])
        .select(({ val }) => [
          sql<string>`case when a.held = 'gone' then 'gone' else 'carried' end`.as('state'),
          val('').as('note'),
          val(addedAt).as('checked_at'),
        ])
        .where('p.origin', '=', address);
      await run(
        db
          .insertInto('carried_apps')
          .columns(['upstream', 'app_id', 'version', 'state', 'note', 'checked_at'])
          .expression(before),
      );
      return true;
    },
    /** Changes what is carried: what was refused is looked at again, and the catalogue is read from its beginning. */
    async choose(id: string, choices: UpstreamChoices): Promise<void> {
      await run(change(id).set({ choices_json: JSON.stringify(choices), read_until: null }));
      const refused = { version: '', checked_at: '' };
      await run(
        db.updateTable('carried_apps').set(refused).where('upstream', '=', id).where('state', '=', 'refused'),
      );
    },
    /** Replaces the trusted keys, unless another process has changed them since they were read. */
    follow: (id: string, before: readonly PublicKey[], keys: readonly PublicKey[]): Promise<boolean> =>
      hasChanged(
        change(id)
          .where('keys_json', '=', JSON.stringify(before))
          .set({ keys_json: JSON.stringify(keys) }),
      ),
    /** Trusts another key: what the lost one signed last binds no more. @param file what is kept from now on of one that is read from files */
    async pin(id: string, keys: readonly PublicKey[], file: KeptFile | null): Promise<void> {
      const ended = { list_json: null, list_tag: null, failure_json: null, failing_since: null };
      const file_json = file && JSON.stringify(file);
      await run(change(id).set({ keys_json: JSON.stringify(keys), ...ended, file_json }));
      await run(db.updateTable('carried_apps').set({ head_json: null }).where('upstream', '=', id));
    },
    async remove(id: string): Promise<void> {
      await run(db.deleteFrom('carried_apps').where('upstream', '=', id));
      await run(db.deleteFrom('upstreams').where('id', '=', id));
    },
    /** Replaces the last accepted list, unless another process has replaced it since it was read. Its ETag is not recorded yet. */
    replaceList: (id: string, before: AcceptedList | null, list: AcceptedList): Promise<boolean> =>
      hasChanged(
        change(id)
          .where('list_json', before ? '=' : 'is', before && JSON.stringify(before))
          .set({ list_json: JSON.stringify(list), list_tag: null }),
      ),
    /** Records with which ETag the last accepted list was served; with null it is fetched and applied again. */
    tagList: (id: string, tag: string | null): Promise<void> => run(change(id).set({ list_tag: tag })),
    readTo: (id: string, readUntil: string): Promise<void> => run(change(id).set({ read_until: readUntil })),
    /** Replaces what is kept of an upstream that is read from files, unless another process has replaced it since it was read. */
    keepFile: (id: string, before: KeptFile, file: KeptFile): Promise<boolean> =>
      hasChanged(
        change(id)
          .where('file_json', '=', JSON.stringify(before))
          .set({ file_json: JSON.stringify(file) }),
      ),
    /** The versions of some apps, with the hashes of their bundles. */
    bundlesOf: async (appIds: readonly string[]): Promise<VersionSum[]> =>
      appIds.length === 0
        ? []
        : db
            .selectFrom('versions as v')
            .select(['v.app_id as appId', 'v.version', 'v.sha256'])
            .where('v.app_id', 'in', appIds)
            .execute(),
    /** Records that the lists of an upstream verified. */
    reached: (id: string, at: string): Promise<void> => run(change(id).set({ reached_at: at })),
    works: (id: string): Promise<boolean> =>
      hasChanged(
        change(id).where('failing_since', 'is not', null).set({ failure_json: null, failing_since: null }),
      ),
    fails: (id: string, failure: Failure, at: string): Promise<void> =>
      run(
        change(id)
          // A fork stays until an administrator has looked into it.
          .where(sql<SqlBool>`coalesce(failure_json, '') not like ${`{"code":"forked"%`}`)
          .set({
            failure_json: JSON.stringify(failure),
            failing_since: sql`coalesce(failing_since, ${at})`,
          }),
      ),
    /** Whether a process of this store is the one that follows an upstream: it was before, or no other one is now. */
    lead: (id: string, process: string, now: Date): Promise<boolean> =>
      hasChanged(
        change(id)
          .where(({ or, eb }) =>
            or([eb('leader', '=', process), isInactiveAt('upstreams.leader_until', now.toISOString())]),
          )
          .set({ leader: process, leader_until: endOf('upstreams.leader_until', now) }),
      ),
    /** Takes the turn to read an upstream; false while another process has it. */
    takeTurn: (id: string, now: Date): Promise<boolean> =>
      hasChanged(
        change(id)
          .where(isInactiveAt('upstreams.turn_until', now.toISOString()))
          .set({ turn_until: endOf('upstreams.turn_until', now) }),
      ),
    renewTurn: (id: string, now: Date): Promise<void> =>
      run(change(id).set({ turn_until: endOf('upstreams.turn_until', now) })),
    endTurn: (id: string): Promise<void> => run(change(id).set({ turn_until: null })),
    app: (upstream: string, appId: string): Promise<KeptApp | null> =>
      firstOf(apps(upstream).where('app_id', '=', appId), appOf),
    /** Those of some apps that were looked at. */
    appsOf: async (upstream: string, appIds: readonly string[]): Promise<KeptApp[]> =>
      appIds.length === 0 ? [] : allOf(apps(upstream).where('app_id', 'in', appIds), appOf),
    appsAfter: (upstream: string, after: string, limit: number): Promise<KeptApp[]> =>
      allOf(apps(upstream).where('app_id', '>', after).orderBy('app_id').limit(limit), appOf),
    /** The apps that were looked at before a time, the longest ago first. */
    dueApps: (upstream: string, before: string, limit: number): Promise<KeptApp[]> =>
      allOf(apps(upstream).where('checked_at', '<=', before).orderBy('checked_at').limit(limit), appOf),
    /** Has some apps looked at before all others. */
    async lookSoon(upstream: string, appIds: readonly string[]): Promise<void> {
      for (let n = 0; n < appIds.length; n += AT_ONCE)
        await run(
          db
            .updateTable('carried_apps')
            .set({ checked_at: '' })
            .where('upstream', '=', upstream)
            .where('app_id', 'in', appIds.slice(n, n + AT_ONCE)),
        );
    },
    async countApps(upstream: string): Promise<Upstream['apps']> {
      const rows = await db
        .selectFrom('carried_apps')
        .select(({ fn }) => ['state', fn.countAll().as('count')])
        .where('upstream', '=', upstream)
        .groupBy('state')
        .execute();
      const count = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0);
      const [carried, waiting, refused, gone] = CARRIED_STATES.map(count) as [number, number, number, number];
      return { carried, waiting, refused, gone };
    },
    async keepApp(
      upstream: string,
      { appId, version, state, note, checkedAt, head }: KeptApp,
    ): Promise<void> {
      const row = { version, state, note, checked_at: checkedAt, head_json: head && JSON.stringify(head) };
      await db
        .insertInto('carried_apps')
        .values({ upstream, app_id: appId, ...row })
        .onConflict((on) => on.columns(['upstream', 'app_id']).doUpdateSet(row))
        .execute();
    },
    /** Who moved a version between which states, newest first. */
    moves: ({ appId, version }: VersionRef): Promise<{ by: string; from: string; to: string }[]> =>
      db
        .selectFrom('version_moves')
        .select(['moved_by as by', 'from_state as from', 'to_state as to'])
        .where('app_id', '=', appId)
        .where('version', '=', version)
        .orderBy('moved_at', 'desc')
        .execute(),
    /** The carried versions of some apps that are yanked, for whatever reason. */
    yanked: async (appIds: readonly string[]): Promise<VersionRef[]> =>
      appIds.length === 0
        ? []
        : db
            .selectFrom('versions as v')
            .select(['v.app_id as appId', 'v.version'])
            .where(IS_YANKED)
            .where('v.app_id', 'in', appIds)
            .execute(),
    /** Stops new installs of a carried app, or ends that with null; false when nothing changed. */
    async hold(appId: string, held: Held | null): Promise<boolean> {
      const changed = await hasChanged(
        db.updateTable('apps').set({ held }).where('app_id', '=', appId).where(isOtherThan(held)),
      );
      if (changed) await updateVisibilityOfApp(db, appId);
      return changed;
    },
    /** Whether any app of a store is held for a reason. */
    isHeld: (publishers: readonly string[], held: Held): Promise<boolean> =>
      publishers.length === 0
        ? Promise.resolve(false)
        : hasRow(
            db
              .selectFrom('apps')
              .select('app_id')
              .where('publisher', 'in', publishers)
              .where('held', '=', held),
          ),
    /** The slugs of the publishers here that stand for those of a store. */
    publishersOf: (address: string): Promise<string[]> =>
      allOf(
        db.selectFrom('publishers').select('slug').where('origin', '=', address).orderBy('slug'),
        ({ slug }) => slug,
      ),
    /** Holds all apps of some publishers, or ends that; the ids of those that changed. */
    async holdAll(publishers: readonly string[], from: Held | null, to: Held | null): Promise<string[]> {
      if (publishers.length === 0) return [];
      const rows = await db
        .updateTable('apps')
        .set({ held: to })
        .where('publisher', 'in', publishers)
        .where('held', from === null ? 'is' : '=', from)
        .returning('app_id')
        .execute();
      for (const { app_id } of rows) await updateVisibilityOfApp(db, app_id);
      return rows.map(({ app_id }) => app_id);
    },
  };
}

export type UpstreamStore = ReturnType<typeof createUpstreamStore>;
