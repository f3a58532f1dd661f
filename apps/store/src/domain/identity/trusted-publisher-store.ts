import type { CiClaims, CiKind } from '@svc/contracts';
import type { Selectable } from 'kysely';
import type { Database, Tables } from '../../platform/database/schema.ts';

/** A CI workflow that may publish an app, which does not have to exist yet. */
export type TrustedPublisherRecord = {
  id: string;
  publisher: string;
  appId: string;
  issuer: string;
  kind: CiKind;
  /** What the ID token of a job must say. */
  claims: CiClaims;
  createdAt: string;
  /** The user who added it. */
  madeBy: string | null;
  lastUsedAt: string | null;
};

const recordOf = (row: Selectable<Tables['trusted_publishers']>): TrustedPublisherRecord => ({
  id: row.id,
  publisher: row.publisher,
  appId: row.app_id,
  issuer: row.issuer,
  kind: row.kind as CiKind,
  claims: JSON.parse(row.claims_json),
  createdAt: row.created_at,
  madeBy: row.made_by,
  lastUsedAt: row.last_used_at,
});

/** Stores the CI workflows that may publish apps. */
export const createTrustedPublisherStore = (db: Database) => ({
  /** Adds a workflow; false when the same one may publish the app already. */
  async add({ claims, ...record }: TrustedPublisherRecord): Promise<boolean> {
    const added = await db
      .insertInto('trusted_publishers')
      .values({
        id: record.id,
        publisher: record.publisher,
        app_id: record.appId,
        issuer: record.issuer,
        kind: record.kind,
        claims_json: JSON.stringify(claims),
        created_at: record.createdAt,
        made_by: record.madeBy,
        last_used_at: record.lastUsedAt,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    return added !== undefined;
  },
  /** The workflows of a publisher by app, the oldest first. */
  async of(publisher: string): Promise<TrustedPublisherRecord[]> {
    const rows = await db
      .selectFrom('trusted_publishers')
      .selectAll()
      .where('publisher', '=', publisher)
      .orderBy('app_id')
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(recordOf);
  },
  /** Records that a job got a token. */
  async used(id: string, at: string): Promise<void> {
    await db.updateTable('trusted_publishers').set({ last_used_at: at }).where('id', '=', id).execute();
  },
  /** Removes a workflow of a publisher; null when there is none. */
  async remove(publisher: string, id: string): Promise<TrustedPublisherRecord | null> {
    const row = await db
      .deleteFrom('trusted_publishers')
      .where('id', '=', id)
      .where('publisher', '=', publisher)
      .returningAll()
      .executeTakeFirst();
    return row ? recordOf(row) : null;
  },
  async removeAll(publisher: string): Promise<void> {
    await db.deleteFrom('trusted_publishers').where('publisher', '=', publisher).execute();
  },
  /** Removes every workflow that a user added. @returns how many there were */
  async removeMadeBy(personId: string): Promise<number> {
    const removed = await db
      .deleteFrom('trusted_publishers')
      .where('made_by', '=', personId)
      .executeTakeFirst();
    return Number(removed.numDeletedRows);
  },
});

export type TrustedPublisherStore = ReturnType<typeof createTrustedPublisherStore>;
