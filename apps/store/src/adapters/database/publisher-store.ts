import type { Publisher } from '@svc/contracts';
import type { Selectable } from 'kysely';
import type { PublisherStore } from '../../publishers/publisher-store.ts';
import { type Database, flag, type Tables } from './schema.ts';

export const publisherOf = (row: Selectable<Tables['publishers']>): Publisher => ({
  slug: row.slug,
  name: row.name,
  ...(row.website !== null && { website: row.website }),
  verified: row.verified === 1,
  suspended: row.suspended === 1,
  createdAt: row.created_at,
});

/** Publishers, in the database. */
export function createPublisherStore(db: Database): PublisherStore {
  return {
    async create({ slug, name, website, verified, suspended, createdAt }, { look, proof }) {
      const made = await db
        .insertInto('publishers')
        .values({
          slug,
          name,
          website: website ?? null,
          verified: flag(verified),
          suspended: flag(suspended),
          created_at: createdAt,
          look,
          proof,
          verified_by: verified ? 'administrator' : null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('slug')
        .executeTakeFirst();
      return made !== undefined;
    },
    async find(slug) {
      const row = await db.selectFrom('publishers').selectAll().where('slug', '=', slug).executeTakeFirst();
      return row ? publisherOf(row) : null;
    },
    async change(slug, { verified, suspended }) {
      const row = await db
        .updateTable('publishers')
        .set({
          ...(verified !== undefined && {
            verified: flag(verified),
            verified_by: verified ? 'administrator' : null,
          }),
          ...(suspended !== undefined && { suspended: flag(suspended) }),
        })
        .where('slug', '=', slug)
        .returningAll()
        .executeTakeFirst();
      return row ? publisherOf(row) : null;
    },
  };
}
