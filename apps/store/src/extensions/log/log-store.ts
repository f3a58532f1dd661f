import { base64Of, type Edge, EMPTY_EDGE, hashOfBase64 } from '@svc/log';
import { type SqlBool, sql } from 'kysely';
import {
  entryOfPublished,
  logVerification,
  nextIndex,
  rowOfEntry,
} from '../../core/domain/trust/trust-log.ts';
import { hasChanged, run } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

/** How much of the log is published. */
export type LogState = {
  edge: Edge;
  /** The last checkpoint, as a signed note; empty before the first. */
  checkpoint: string;
  /** When the acts from before the log were added to it; null before that. */
  begunAt: string | null;
};

const rowsOf = (json: string): Edge['rows'] =>
  (JSON.parse(json) as string[][]).map((row) =>
    row.map((text) => {
      const hash = hashOfBase64(text);
      if (!hash) throw new Error('The edge of the log is malformed.');
      return hash;
    }),
  );

const textOf = ({ rows }: Edge): string => JSON.stringify(rows.map((row) => row.map(base64Of)));

/** The one row of the state. */
const ONLY = 1;

/** Versions from before the log that are added in one transaction. */
const BATCH = 100;

const IS_RELEASED = sql<SqlBool>`state in ('published', 'yanked')`;

/** Reads the log, and records how much of it is published. */
export const createLogStore = (db: Database) => ({
  async state(): Promise<LogState> {
    const row = await db.selectFrom('log_state').selectAll().where('id', '=', ONLY).executeTakeFirst();
    if (!row) return { edge: EMPTY_EDGE, checkpoint: '', begunAt: null };
    const { size, edge_json, checkpoint, begun_at: begunAt } = row;
    return { edge: { size, rows: rowsOf(edge_json) }, checkpoint, begunAt };
  },
  /** Entries of the log, of which some may not be published yet. */
  count: (): Promise<number> => nextIndex(db),
  /** The bytes of the entries from one index to another, without that. */
  async entries(from: number, to: number): Promise<Uint8Array[]> {
    const rows = await db
      .selectFrom('log_entries')
      .select(['idx', 'entry'])
      .where('idx', '>=', from)
      .where('idx', '<', to)
      .orderBy('idx')
      .execute();
    if (rows.some(({ idx }, at) => idx !== from + at) || rows.length !== to - from)
      throw new Error(`The log has a gap between ${from} and ${to}.`);
    return rows.map(({ entry }) => Buffer.from(entry));
  },
  /** The last entry by which a version was published; null when there is none. */
  async published({ appId, version }: { appId: string; version: string }) {
    const row = await db
      .selectFrom('log_entries')
      .select(['idx', 'entry'])
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .where('kind', '=', 'published')
      .orderBy('idx', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row ? { index: row.idx, entry: row.entry } : null;
  },
  /** Records a published tree. @returns false when another process has published since */
  publish: (
    before: Pick<LogState, 'edge' | 'checkpoint'>,
    edge: Edge,
    checkpoint: string,
  ): Promise<boolean> =>
    hasChanged(
      db
        .updateTable('log_state')
        .set({ size: edge.size, edge_json: textOf(edge), checkpoint })
        .where('id', '=', ONLY)
        .where('size', '=', before.edge.size)
        .where('checkpoint', '=', before.checkpoint),
    ),
  /** Records that the acts from before the log are in it; nothing is published before that. */
  begun: (at: string): Promise<void> =>
    run(
      db
        .insertInto('log_state')
        .values({ id: ONLY, size: 0, edge_json: '[]', checkpoint: '', begun_at: at })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ begun_at: at })),
    ),
  /** Replaces the entries from an index on. Run it in a transaction. */
  async replaceFrom(index: number, entries: readonly Uint8Array[]): Promise<void> {
    await db.deleteFrom('log_entries').where('idx', '>=', index).execute();
    const rows = entries.map((bytes, at) =>
      rowOfEntry(JSON.parse(Buffer.from(bytes).toString('utf8')), index + at),
    );
    for (let n = 0; n < rows.length; n += BATCH)
      await db
        .insertInto('log_entries')
        .values(rows.slice(n, n + BATCH))
        .execute();
  },
  /** Some versions that were published before there was a log, oldest first. */
  unlogged: () =>
    db
      .selectFrom('versions')
      .select(['app_id as appId', 'version', 'state', 'notes', 'published_at as publishedAt'])
      .where(IS_RELEASED)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('log_entries')
              .select('idx')
              .whereRef('log_entries.app_id', '=', 'versions.app_id')
              .whereRef('log_entries.version', '=', 'versions.version')
              .where('kind', '=', 'published'),
          ),
        ),
      )
      .orderBy('published_at')
      .limit(BATCH)
      .execute(),
  entryOfPublished: (ref: { appId: string; version: string }) => entryOfPublished(db, ref),
  /** Adds the verification of publishers that were verified before there was a log. */
  async logVerified(): Promise<void> {
    const rows = await db
      .selectFrom('publishers')
      .select(['slug', 'verified_host'])
      .where('verified', '=', 1)
      .execute();
    for (const { slug, verified_host } of rows)
      await logVerification(db, slug, { verified: true, host: verified_host });
  },
  /** When a version was yanked last. */
  async yankedAt({ appId, version }: { appId: string; version: string }): Promise<string | null> {
    const row = await db
      .selectFrom('version_moves')
      .select('moved_at')
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .where('to_state', '=', 'yanked')
      .orderBy('moved_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.moved_at ?? null;
  },
});

export type LogStore = ReturnType<typeof createLogStore>;
