import { hasChanged, isInactiveAt, run } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

/** How far the audit log is delivered. */
type Delivered = { afterId: number; deliveredAt: string | null };

/** Stores how far the audit log is delivered, in one row. */
export const createDeliveryStore = (db: Database) => ({
  async read(): Promise<Delivered> {
    const row = await db.selectFrom('audit_delivery').selectAll().where('id', '=', 1).executeTakeFirst();
    return { afterId: row?.after_id ?? 0, deliveredAt: row?.delivered_at ?? null };
  },
  /** Takes the turn of this process until a time; false while another process has it. */
  async claim(now: string, until: string): Promise<boolean> {
    await run(
      db
        .insertInto('audit_delivery')
        .values({ id: 1, after_id: 0, delivered_at: null, turn_until: null })
        .onConflict((on) => on.column('id').doNothing()),
    );
    return hasChanged(
      db
        .updateTable('audit_delivery')
        .set({ turn_until: until })
        .where('id', '=', 1)
        .where(isInactiveAt('audit_delivery.turn_until', now)),
    );
  },
  /** Records that the collector has all entries up to an id, unless the turn ended meanwhile. */
  advance: (turn: string, afterId: number, at: string): Promise<boolean> =>
    hasChanged(
      db
        .updateTable('audit_delivery')
        .set({ after_id: afterId, delivered_at: at })
        .where('id', '=', 1)
        .where('turn_until', '=', turn),
    ),
  /** Ends the turn of this process. */
  release: (turn: string): Promise<void> =>
    run(
      db
        .updateTable('audit_delivery')
        .set({ turn_until: null })
        .where('id', '=', 1)
        .where('turn_until', '=', turn),
    ),
});

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;
