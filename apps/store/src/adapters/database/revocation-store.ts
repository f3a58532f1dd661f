import type { RevocationEntry } from '@svc/contracts';
import type { RevocationStore } from '../../revocations/revocation-store.ts';
import type { Database } from './schema.ts';

/** The one row of the table. */
const ONLY = 1;

/** What is withdrawn, and the list that was signed last, in the database. */
export const createRevocationStore = (db: Database): RevocationStore => ({
  async yanked() {
    const rows = await db
      .selectFrom('versions as v')
      .innerJoin('version_moves as m', (join) =>
        join.onRef('m.app_id', '=', 'v.app_id').onRef('m.version', '=', 'v.version'),
      )
      .where('v.state', '=', 'yanked')
      .where('m.to_state', '=', 'yanked')
      .groupBy(['v.app_id', 'v.version', 'v.notes'])
      .select(({ fn }) => ['v.app_id', 'v.version', 'v.notes', fn.max('m.moved_at').as('at')])
      .execute();
    return rows.map((row) => ({ appId: row.app_id, version: row.version, reason: row.notes, at: row.at }));
  },
  async onRecord(entries) {
    const found: RevocationEntry[] = [];
    for (const entry of entries) {
      const row = await db
        .selectFrom('version_moves')
        .select('moved_at')
        .where('app_id', '=', entry.appId)
        .where('version', '=', entry.version)
        .where('to_state', '=', 'yanked')
        .where('moved_at', '=', entry.at)
        .executeTakeFirst();
      if (row) found.push(entry);
    }
    return found;
  },
  async last() {
    const row = await db
      .selectFrom('revocation_list')
      .select('list_json')
      .where('id', '=', ONLY)
      .executeTakeFirst();
    return row ? JSON.parse(row.list_json) : null;
  },
  async keep(list, last) {
    const list_json = JSON.stringify(list);
    const kept = last
      ? db
          .updateTable('revocation_list')
          .set({ list_json })
          .where('id', '=', ONLY)
          .where('list_json', '=', JSON.stringify(last))
          .returning('id')
      : db
          .insertInto('revocation_list')
          .values({ id: ONLY, list_json })
          .onConflict((conflict) => conflict.doNothing())
          .returning('id');
    return (await kept.executeTakeFirst()) !== undefined;
  },
});
