import { ManagedSettings } from '@svc/contracts';
import type { Database } from '../../platform/database/schema.ts';

/** The settings, and when they were last changed. */
export type KeptSettings = { settings: ManagedSettings; changedAt: string };

export const createManagedStore = (db: Database) => ({
  /** Null as long as none were set. */
  async read(): Promise<KeptSettings | null> {
    const row = await db.selectFrom('managed_settings').selectAll().where('id', '=', 1).executeTakeFirst();
    if (!row) return null;
    return { settings: ManagedSettings.parse(JSON.parse(row.settings_json)), changedAt: row.changed_at };
  },
  async write({ settings, changedAt }: KeptSettings): Promise<void> {
    const row = { settings_json: JSON.stringify(settings), changed_at: changedAt };
    await db
      .insertInto('managed_settings')
      .values({ id: 1, ...row })
      .onConflict((on) => on.column('id').doUpdateSet(row))
      .execute();
  },
});

export type ManagedStore = ReturnType<typeof createManagedStore>;
