import type { Emergency, EmergencyEffects, EmergencyReach } from '@svc/contracts';
import { type SqlBool, sql } from 'kysely';
import type { needsTwo } from '../../core/domain/decisions/two-persons.ts';
import { logMoves } from '../../core/domain/trust/trust-log.ts';
import type { Mover } from '../../core/domain/versions/changes.ts';
import { firstColumns, type VersionRef } from '../../core/domain/versions/version-record.ts';
import type { Target } from '../../core/moderation/set-suspended.ts';
import { columnsOf, fieldsOf } from '../../platform/database/fields.ts';
import { allOf, firstOf, run } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

type By = Pick<Mover, 'by' | 'at'>;

/** Emergencies that are listed, and dependants of a preview. */
const LISTED = 100;

/** Moves that one statement records: SQLite and PostgreSQL limit the parameters of one. */
const MOVES_AT_ONCE = 500;

/** The ids of the apps of a target. */
const appsOf = (db: Database, { publisher, appId }: Target) => {
  const apps = db.selectFrom('apps').select('apps.app_id').where('apps.publisher', '=', publisher);
  return appId === null ? apps : apps.where('apps.app_id', '=', appId);
};

/** Matches versions whose last yank was at a time. */
const wasYankedAt = (at: string) =>
  sql<SqlBool>`(select max(moved_at) from version_moves m
      where m.app_id = versions.app_id and m.version = versions.version and m.to_state = 'yanked') = ${at}`;

/** What the policy of two persons looks at. */
type Decided = Parameters<typeof needsTwo>[1];

const membersOf = (db: Database, publisher: string) =>
  db.selectFrom('members').select('person_id').where('members.publisher', '=', publisher);

export const createEmergencyStore = (db: Database) => ({
  /** The newest uploads of apps, with the name in each, by app id. */
  async newestOf(appIds: readonly string[]): Promise<Map<string, { name: string; version: string }>> {
    if (appIds.length === 0) return new Map();
    const rows = await db
      .selectFrom('versions')
      .select(['app_id', 'name', 'version'])
      .where('app_id', 'in', appIds)
      .where('superseded', '=', 0)
      .execute();
    return new Map(rows.map(({ app_id, name, version }) => [app_id, { name, version }]));
  },
  add: ({ acts, reach, effects: _effects, ...record }: Emergency): Promise<void> =>
    run(
      db.insertInto('emergencies').values({
        ...columnsOf(record),
        state: 'waiting',
        acts_json: JSON.stringify(acts),
        reach_json: JSON.stringify(reach),
      }),
    ),
  find: (id: string): Promise<Emergency | null> =>
    firstOf(db.selectFrom('emergencies').selectAll().where('id', '=', id), fieldsOf),
  /** The last emergencies, newest first. */
  list: (): Promise<Emergency[]> =>
    allOf(
      db.selectFrom('emergencies').selectAll().orderBy('started_at', 'desc').orderBy('id').limit(LISTED),
      fieldsOf,
    ),
  /** Decides on an emergency that waits; null when it does not wait any more. */
  decide: (id: string, state: 'done' | 'refused', { by, at }: By): Promise<Emergency | null> =>
    firstOf(
      db
        .updateTable('emergencies')
        .set({ state, decided_by: by, decided_at: at })
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .returningAll(),
      fieldsOf,
    ),
  async setEffects(id: string, effects: EmergencyEffects): Promise<void> {
    const effects_json = JSON.stringify(effects);
    await db.updateTable('emergencies').set({ effects_json }).where('id', '=', id).execute();
  },
  /** Marks an emergency that was done as undone; null when it was not done, or is undone already. */
  undo: (id: string, { by, at }: By): Promise<Emergency | null> =>
    firstOf(
      db
        .updateTable('emergencies')
        .set({ state: 'undone', undone_by: by, undone_at: at })
        .where('id', '=', id)
        .where('state', '=', 'done')
        .returningAll(),
      fieldsOf,
    ),
  /** What an emergency reaches, apart from the tokens. @param now the time at which sessions must be valid */
  async reach(target: Target, now: string): Promise<Omit<EmergencyReach, 'tokens'>> {
    const { publisher } = target;
    const apps = appsOf(db, target);
    const counts = await db
      .selectNoFrom([
        db
          .selectFrom(apps.as('a'))
          .select(({ fn }) => fn.countAll<number>().as('n'))
          .as('apps'),
        db
          .selectFrom('versions')
          .select(({ fn }) => fn.countAll<number>().as('n'))
          .where('app_id', 'in', apps)
          .where('state', '=', 'published')
          .as('versions'),
        db
          .selectFrom('app_figures')
          .select(sql<number>`cast(coalesce(sum(installs), 0) as integer)`.as('n'))
          .where('app_id', 'in', apps)
          .as('installs'),
        db
          .selectFrom('members')
          .select(({ fn }) => fn.countAll<number>().as('n'))
          .where('members.publisher', '=', publisher)
          .as('members'),
        db
          .selectFrom('sessions')
          .select(({ fn }) => fn.countAll<number>().as('n'))
          .where('person_id', 'in', membersOf(db, publisher))
          .where('expires_at', '>', now)
          .as('sessions'),
      ])
      .executeTakeFirstOrThrow();
    const dependants = await db
      .selectFrom('app_requirements as r')
      .innerJoin('listings as l', 'l.app_id', 'r.app_id')
      .select(['l.app_id as appId', 'l.name', 'l.publisher'])
      .distinct()
      .where('r.requires', 'in', apps)
      .where('l.publisher', '!=', publisher)
      .orderBy('l.app_id')
      .limit(LISTED)
      .execute();
    return {
      apps: counts.apps ?? 0,
      versions: counts.versions ?? 0,
      installs: counts.installs ?? 0,
      members: counts.members ?? 0,
      sessions: counts.sessions ?? 0,
      dependants,
    };
  },
  /** Yanks every published version of a target with a note, and records each. @returns them */
  async yankAll(target: Target, notes: string, mover: Mover): Promise<VersionRef[]> {
    const moved = await db
      .updateTable('versions')
      .set({ state: 'yanked', notes, ...firstColumns(null) })
      .where('app_id', 'in', appsOf(db, target))
      .where('state', '=', 'published')
      .returning(['app_id as appId', 'version'])
      .execute();
    await recordMoves(db, moved, { from_state: 'published', to_state: 'yanked', note: notes }, mover);
    return moved;
  },
  /** The versions of a target whose last yank was at a time. */
  async yankedAt(target: Target, yankedAt: string): Promise<(VersionRef & Decided)[]> {
    const rows = await db
      .selectFrom('versions')
      .select(['app_id as appId', 'version', 'publisher', 'manifest_json'])
      .where('app_id', 'in', appsOf(db, target))
      .where('state', '=', 'yanked')
      .where(wasYankedAt(yankedAt))
      .execute();
    return rows.map(({ manifest_json, ...row }) => ({ ...row, manifest: JSON.parse(manifest_json) }));
  },
  /** Publishes the versions of a target again whose last yank was at a time. @param except those that stay yanked @returns them */
  async unyankAll(
    target: Target,
    yankedAt: string,
    notes: string,
    mover: Mover,
    except: readonly VersionRef[] = [],
  ): Promise<VersionRef[]> {
    const kept = sql.join(except.map(({ appId, version }) => sql`(${appId}, ${version})`));
    const moved = await db
      .updateTable('versions')
      .set({ state: 'published', notes, ...firstColumns(null) })
      .where('app_id', 'in', appsOf(db, target))
      .where('state', '=', 'yanked')
      .where(wasYankedAt(yankedAt))
      .$if(except.length > 0, (move) => move.where(sql<SqlBool>`(app_id, version) not in (values ${kept})`))
      .returning(['app_id as appId', 'version'])
      .execute();
    await recordMoves(db, moved, { from_state: 'yanked', to_state: 'published', note: notes }, mover);
    return moved;
  },
  /** Revokes every valid token that may act for a publisher, or was created by one of its members. @returns how many there were */
  async revokeTokens(publisher: string, at: string): Promise<number> {
    const live = db
      .updateTable('tokens')
      .set({ revoked_at: at })
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', at);
    const members = membersOf(db, publisher);
    const results = [
      await live.where('publisher', '=', publisher).executeTakeFirst(),
      await live.where('person_id', 'in', members).executeTakeFirst(),
      await live.where('made_by', 'in', members).executeTakeFirst(),
    ];
    return results.reduce((sum, { numUpdatedRows }) => sum + Number(numUpdatedRows), 0);
  },
});

async function recordMoves(
  db: Database,
  versions: readonly VersionRef[],
  move: { from_state: string; to_state: string; note: string },
  { by, at }: Mover,
): Promise<void> {
  const rows = versions.map(({ appId, version }) => ({
    app_id: appId,
    version,
    ...move,
    moved_by: by,
    moved_at: at,
  }));
  for (let n = 0; n < rows.length; n += MOVES_AT_ONCE)
    await db
      .insertInto('version_moves')
      .values(rows.slice(n, n + MOVES_AT_ONCE))
      .execute();
  const { from_state: from, to_state: to, note } = move;
  await logMoves(db, versions, { from, to }, { by, at, note });
}

export type EmergencyStore = ReturnType<typeof createEmergencyStore>;
