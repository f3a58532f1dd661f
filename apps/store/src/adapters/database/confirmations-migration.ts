import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Versions that wait until a member of their publisher confirms them, apps whose versions all do; and an index of decisions by time. */
export const confirmations: Migration = {
  async up(db: Kysely<unknown>) {
    const now = [
      sql`alter table apps add column confirm_uploads integer not null default 0`,
      sql`alter table versions add column awaits_confirmation integer not null default 0`,
      sql`create index version_moves_decided on version_moves (moved_at, app_id, version) where from_state = 'in_review'`,
    ];
    for (const statement of now) await statement.execute(db);
  },
};
