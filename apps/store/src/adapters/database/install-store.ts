import { type Selectable, sql } from 'kysely';
import type { Installation, InstallStore } from '../../installs/install-store.ts';
import { type Database, flag, type Tables } from './schema.ts';

const installationOf = (row: Selectable<Tables['installs']>): Installation => ({
  idHash: row.id_hash,
  appId: row.app_id,
  version: row.version,
  counted: row.counted === 1,
  personId: row.person_id,
});

type Counting = Pick<InstallStore, 'countFrom' | 'noteFetches' | 'count' | 'countsOf' | 'forgetBefore'>;

/** What is counted, and what is noted so that nothing is counted twice. */
const counting = (db: Database): Counting => ({
  async countFrom(networks) {
    if (networks.length === 0) return [];
    const rows = await db
      .insertInto('install_networks')
      .values(
        networks.map(({ day, networkHash, appId, installs }) => ({
          day,
          network_hash: networkHash,
          app_id: appId,
          installs,
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'network_hash', 'app_id'])
          .doUpdateSet({ installs: sql`install_networks.installs + excluded.installs` }),
      )
      .returningAll()
      .execute();
    return rows.map(({ network_hash: networkHash, app_id: appId, ...row }) => ({
      ...row,
      networkHash,
      appId,
    }));
  },
  async noteFetches(fetches) {
    if (fetches.length === 0) return [];
    const rows = await db
      .insertInto('install_days')
      .values(fetches.map(({ day, idHash, version }) => ({ day, id_hash: idHash, version })))
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .execute();
    return rows.map(({ day, id_hash, version }) => ({ day, idHash: id_hash, version }));
  },
  async count(counts) {
    if (counts.length === 0) return;
    await db
      .insertInto('install_counts')
      .values(counts.map(({ appId, ...one }) => ({ app_id: appId, ...one })))
      .onConflict((conflict) =>
        conflict.columns(['app_id', 'day', 'version']).doUpdateSet({
          installs: sql`install_counts.installs + excluded.installs`,
          updates: sql`install_counts.updates + excluded.updates`,
        }),
      )
      .execute();
  },
  async countsOf(appId, from, to) {
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
  async forgetBefore(day) {
    await db.deleteFrom('install_days').where('day', '<', day).execute();
    await db.deleteFrom('install_networks').where('day', '<', day).execute();
  },
});

/** Installations and their counts, in the database. */
export function createInstallStore(db: Database): InstallStore {
  const all = db.selectFrom('installs').selectAll();
  return {
    ...counting(db),
    async secret(name, fresh) {
      await db
        .insertInto('store_secrets')
        .values({ name, secret: fresh })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const { secret } = await db
        .selectFrom('store_secrets')
        .select('secret')
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
      return secret;
    },
    async known(idHashes) {
      if (idHashes.length === 0) return [];
      return (await all.where('id_hash', 'in', idHashes).execute()).map(installationOf);
    },
    async put(installations) {
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
    async bind(idHash, personId) {
      const bound = await db
        .updateTable('installs')
        .set({ person_id: personId })
        .where('id_hash', '=', idHash)
        .where((row) => row.or([row('person_id', 'is', null), row('person_id', '=', personId)]))
        .executeTakeFirst();
      return bound.numUpdatedRows > 0n;
    },
    async speakingFor(personId, appId) {
      const row = await all
        .where('person_id', '=', personId)
        .where('app_id', '=', appId)
        .orderBy('id_hash')
        .limit(1)
        .executeTakeFirst();
      return row ? installationOf(row) : null;
    },
  };
}
