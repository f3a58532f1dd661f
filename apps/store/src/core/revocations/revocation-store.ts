import type { RevocationEntry, RevocationList } from '@svc/contracts';
import { type SqlBool, sql } from 'kysely';
import { allOf, firstOf, hasChanged, hasRow, isInserted } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

/** The id of the one row of the table, so that a second cannot be inserted. */
const ONLY = 1;

/** What differs between signed lists: the end of the JSON, as the signature (Ed25519 in base64) is its last field. */
export const markOf = ({ signature }: RevocationList): string => `${signature}"}`;

const MARK_LENGTH = 90;

export const createRevocationStore = (db: Database) => ({
  /** All yanked versions with the reason and the time of their last yank, in no order. */
  yanked: (): Promise<RevocationEntry[]> =>
    allOf(
      db
        .selectFrom('versions as v')
        .innerJoin('version_moves as m', (join) =>
          join.onRef('m.app_id', '=', 'v.app_id').onRef('m.version', '=', 'v.version'),
        )
        // A literal as in the partial index: SQLite cannot use it with a parameter.
        .where(sql<SqlBool>`v.state = 'yanked'`)
        .where('m.to_state', '=', 'yanked')
        .groupBy(['v.app_id', 'v.version', 'v.notes'])
        .select(({ fn }) => ['v.app_id', 'v.version', 'v.notes', fn.max('m.moved_at').as('at')]),
      (row) => ({ appId: row.app_id, version: row.version, reason: row.notes, at: row.at }),
    ),
  /** The entries whose yank is on record, undone or not. */
  async onRecord(entries: readonly RevocationEntry[]): Promise<RevocationEntry[]> {
    const recorded: RevocationEntry[] = [];
    for (const entry of entries) {
      const yank = db
        .selectFrom('version_moves')
        .select('moved_at')
        .where('app_id', '=', entry.appId)
        .where('version', '=', entry.version)
        .where('to_state', '=', 'yanked')
        .where('moved_at', '=', entry.at);
      if (await hasRow(yank)) recorded.push(entry);
    }
    return recorded;
  },
  /** The last signed list; null before the first. */
  last: (): Promise<RevocationList | null> =>
    firstOf(db.selectFrom('revocation_list').select('list_json'), ({ list_json }) => JSON.parse(list_json)),
  /** The last signed list as it is stored; null before the first. */
  lastText: (): Promise<string | null> =>
    firstOf(db.selectFrom('revocation_list').select('list_json'), ({ list_json }) => list_json),
  /** The mark of the last signed list, without reading the list; null before the first. */
  lastMark: (): Promise<string | null> =>
    firstOf(
      db
        .selectFrom('revocation_list')
        .select(sql<string>`substr(list_json, length(list_json) - ${MARK_LENGTH - 1})`.as('mark')),
      ({ mark }) => mark,
    ),
  /** Replaces the text of the last list; false when another process has replaced it in the meantime. */
  async keep(list_json: string, last: string | null): Promise<boolean> {
    if (last === null) return isInserted(db.insertInto('revocation_list').values({ id: ONLY, list_json }));
    return hasChanged(db.updateTable('revocation_list').set({ list_json }).where('list_json', '=', last));
  },
});

export type RevocationStore = ReturnType<typeof createRevocationStore>;
