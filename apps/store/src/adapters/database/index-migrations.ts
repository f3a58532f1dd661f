import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Indexes for queries that every store sends, so that none scans a table: the published, unfinished and yanked versions of an app, the
 * publishers of a signing key, the categories of an app. Drops the index of all states: SQLite preferred it, although it covers every
 * published version.
 */
export const plans: Migration = {
  async up(db: Kysely<unknown>) {
    const now = [
      sql`drop index versions_by_state`,
      sql`create index versions_published on versions (app_id, version, published_at) where state = 'published'`,
      sql`create index versions_under_way on versions (state, submitted_at)
        where state in ('submitted', 'checking', 'approved')`,
      sql`create index versions_yanked on versions (state, app_id, version) where state = 'yanked'`,
      sql`create index versions_by_key on versions (key_id) where key_id is not null`,
      sql`create index listing_categories_by_app on listing_categories (app_id)`,
      sql`drop index people_by_role`,
      sql`create index people_by_role on people (role, created_at, id)`,
      sql`create index people_by_time on people (created_at, id)`,
      sql`create index invitations_by_expiry on invitations (expires_at)`,
    ];
    for (const statement of now) await statement.execute(db);
  },
};

/** An index of the last upload of each app, which every upload reads; without it a query read all uploads of the app. */
export const newestUploads: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index versions_newest on versions (app_id, version) where superseded = 0`.execute(db);
  },
};

/** The indexes for the sort orders of publishers. */
export const publisherOrders: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index publishers_by_name on publishers (lower(name), slug)`.execute(db);
    await sql`create index publishers_by_time on publishers (created_at, slug)`.execute(db);
  },
};

/** The indexes of the registry API: the versions with a number, and the publications and yanks by time. */
export const registryIndexes: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index versions_by_number on versions (version, app_id)`.execute(db);
    await sql`create index version_moves_released on version_moves (moved_at, app_id, version)
      where to_state in ('published', 'yanked')`.execute(db);
  },
};
