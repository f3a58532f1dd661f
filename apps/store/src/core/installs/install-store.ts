import { type Selectable, sql } from 'kysely';
import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import { firstOf, hasChanged } from '../../platform/database/queries.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';
import { storeSecret } from '../../platform/database/store-secret.ts';
import { flag } from '../../platform/database/tables/columns.ts';
import { type Mac, macWith, newSecret } from '../../platform/secret.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { Parts } from '../domain/parts/parts.ts';

/**
 * Opens the MAC under which installations are stored. Its key is in the database, and is not derived from the signing key: after a
 * rotation of that key every installation would be counted a second time, and no user could rate. The key is created once, shared by
 * all processes, and part of each backup. With a copy of the database an attacker can look up an id that they know already;
 * they cannot guess one, as ids are random, nor see which apps are on one machine.
 */
export const openInstallMac = async (
  deps: Pick<Parts, 'random'> & { unitOfWork: UnitOfWork<{ installs: InstallStore }> },
): Promise<Mac> =>
  macWith(await deps.unitOfWork(({ installs }) => installs.secret('installs', newSecret(deps.random))));

/** An installation; `counted`: whether it counts as an install of the app. */
export type Installation = Omit<RecordOf<'installs'>, 'counted'> & { counted: boolean };

/** A fetch of a version by an installation, on a day. */
export type Fetch = { day: string; idHash: string; version: string };

/** New installations from a network on a day; `appId` is empty for the sum of all apps. */
export type NetworkCount = { day: string; networkHash: string; appId: string; installs: number };

/** Installs and updates of a version on a day. */
export type DayCount = { day: string; version: string; installs: number; updates: number };

const installationOf = (row: Selectable<Tables['installs']>): Installation => ({
  ...fieldsOf(row),
  counted: row.counted === 1,
});

/** The counts, and the records that prevent counting twice. */
const counting = (db: Database) => ({
  /** Adds to the counts of networks. @returns the new counts, in no order */
  async countFrom(networks: readonly NetworkCount[]): Promise<NetworkCount[]> {
    if (networks.length === 0) return [];
    const rows = await db
      .insertInto('install_networks')
      .values(networks.map(columnsOf))
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'network_hash', 'app_id'])
          .doUpdateSet({ installs: sql`install_networks.installs + excluded.installs` }),
      )
      .returningAll()
      .execute();
    return rows.map(fieldsOf);
  },
  /** Records fetches. @returns those that were not recorded before */
  async recordFetches(fetches: readonly Fetch[]): Promise<Fetch[]> {
    if (fetches.length === 0) return [];
    const rows = await db
      .insertInto('install_days')
      .values(fetches.map(({ day, idHash, version }) => ({ day, id_hash: idHash, version })))
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .execute();
    return rows.map(({ day, id_hash, version }) => ({ day, idHash: id_hash, version }));
  },
  /** Adds to the counts of apps. Each app, day and version may occur once. */
  async count(counts: readonly (DayCount & { appId: string })[]): Promise<void> {
    if (counts.length === 0) return;
    await db
      .insertInto('install_counts')
      .values(counts.map(({ appId, ...count }) => ({ app_id: appId, ...count })))
      .onConflict((conflict) =>
        conflict.columns(['app_id', 'day', 'version']).doUpdateSet({
          installs: sql`install_counts.installs + excluded.installs`,
          updates: sql`install_counts.updates + excluded.updates`,
        }),
      )
      .execute();
  },
  /** The counts of an app from one day to another, in the order of the days. */
  async countsOf(appId: string, from: string, to: string): Promise<DayCount[]> {
    return db
      .selectFrom('install_counts')
      .select(['day', 'version', 'installs', 'updates'])
      .where('app_id', '=', appId)
      .where('day', '>=', from)
      .where('day', '<=', to)
      .orderBy('day')
      .orderBy('version')
      .execute();
  },
  /** Deletes the records of fetches and networks of days before this one. The counts stay. */
  async purgeBefore(day: string): Promise<void> {
    await db.deleteFrom('install_days').where('day', '<', day).execute();
    await db.deleteFrom('install_networks').where('day', '<', day).execute();
  },
});

export function createInstallStore(db: Database) {
  const all = db.selectFrom('installs').selectAll();
  return {
    ...counting(db),
    /** The store's secret for a purpose: the stored one, or else the fresh one, which is then stored. */
    secret: (name: string, fresh: string): Promise<string> => storeSecret(db, name, fresh),
    /** Those of some installations that are recorded. */
    async known(idHashes: readonly string[]): Promise<Installation[]> {
      if (idHashes.length === 0) return [];
      return (await all.where('id_hash', 'in', idHashes).execute()).map(installationOf);
    },
    /** Inserts new installations, and updates the version of recorded ones. Each hash may occur once. */
    async put(installations: readonly Omit<Installation, 'personId'>[]): Promise<void> {
      if (installations.length === 0) return;
      await db
        .insertInto('installs')
        .values(
          installations.map(({ idHash, appId, version, counted }) => ({
            id_hash: idHash,
            app_id: appId,
            version,
            counted: flag(counted),
          })),
        )
        .onConflict((conflict) =>
          conflict.column('id_hash').doUpdateSet({ version: (row) => row.ref('excluded.version') }),
        )
        .execute();
    },
    /** Assigns an installation to a person; false when it belongs to another. */
    bind: (idHash: string, personId: string): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('installs')
          .set({ person_id: personId })
          .where('id_hash', '=', idHash)
          .where((row) => row.or([row('person_id', 'is', null), row('person_id', '=', personId)])),
      ),
    /** An installation of an app that belongs to a person; null when there is none. */
    ownedBy: (personId: string, appId: string): Promise<Installation | null> =>
      firstOf(
        all.where('person_id', '=', personId).where('app_id', '=', appId).orderBy('id_hash').limit(1),
        installationOf,
      ),
  };
}

export type InstallStore = ReturnType<typeof createInstallStore>;
