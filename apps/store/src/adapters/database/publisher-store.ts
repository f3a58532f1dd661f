import type { Publisher, VerifiedBy } from '@svc/contracts';
import type { Selectable, Updateable } from 'kysely';
import type { PublisherFields, PublisherStore } from '../../domain/identity/publisher-store.ts';
import { beginsWith } from './begins-with.ts';
import { isDueSince } from './holds.ts';
import { type Database, flag, type Tables } from './schema.ts';
import { noteVisibilityOfPublisher } from './visibility.ts';

export const publisherOf = (row: Selectable<Tables['publishers']>): Publisher => ({
  slug: row.slug,
  name: row.name,
  ...(row.website !== null && { website: row.website }),
  verified: row.verified === 1,
  ...(row.verified_host !== null && { verifiedHost: row.verified_host }),
  suspended: row.suspended === 1,
  createdAt: row.created_at,
});

function columnsOf(change: PublisherFields): Updateable<Tables['publishers']> {
  const { name, website, suspended, verifiedBy, checkedAt, missingSince } = change;
  const verifiedHost = verifiedBy === null ? null : change.verifiedHost;
  return {
    ...(name !== undefined && { name }),
    ...(website !== undefined && { website }),
    ...(suspended !== undefined && { suspended: flag(suspended) }),
    ...(verifiedBy !== undefined && { verified_by: verifiedBy, verified: flag(verifiedBy !== null) }),
    ...(verifiedHost !== undefined && { verified_host: verifiedHost }),
    ...(checkedAt !== undefined && { checked_at: checkedAt }),
    ...(missingSince !== undefined && { missing_since: missingSince }),
  };
}

/** Publishers, in the database. */
export function createPublisherStore(db: Database): PublisherStore {
  const all = db.selectFrom('publishers').selectAll();
  return {
    async create({ slug, name, website, verified, verifiedHost, suspended, createdAt }, { look, proof }) {
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
          verified_host: verifiedHost ?? null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('slug')
        .executeTakeFirst();
      return made !== undefined;
    },
    async find(slug) {
      const row = await all.where('slug', '=', slug).executeTakeFirst();
      return row ? publisherOf(row) : null;
    },
    async findAll(slugs) {
      if (slugs.length === 0) return [];
      return (await all.where('slug', 'in', slugs).orderBy('slug').execute()).map(publisherOf);
    },
    async search({ beginning, verified, suspended, after, limit }) {
      let query = all;
      if (beginning !== undefined) query = query.where(beginsWith(['slug', 'name'], beginning));
      if (verified !== undefined) query = query.where('verified', '=', flag(verified));
      if (suspended !== undefined) query = query.where('suspended', '=', flag(suspended));
      if (after !== null) query = query.where('slug', '>', after);
      const rows = await query
        .orderBy('slug')
        .limit(limit + 1)
        .execute();
      return rows.map(publisherOf);
    },
    async standing(slug) {
      const row = await all.where('slug', '=', slug).executeTakeFirst();
      return row
        ? {
            proof: row.proof,
            verifiedBy: row.verified_by as VerifiedBy | null,
            checkedAt: row.checked_at,
            missingSince: row.missing_since,
          }
        : null;
    },
    async change(slug, change) {
      const row = await db
        .updateTable('publishers')
        .set({ slug, ...columnsOf(change) })
        .where('slug', '=', slug)
        .returningAll()
        .executeTakeFirst();
      if (change.suspended !== undefined) await noteVisibilityOfPublisher(db, slug);
      return row ? publisherOf(row) : null;
    },
    dueForCheck: (now, limit) =>
      db
        .selectFrom('publishers')
        .select(['slug', 'checked_at as checkedAt'])
        .where('verified_by', '=', 'website')
        .where(isDueSince('publishers.checked_at', now))
        .orderBy('checked_at')
        .orderBy('slug')
        .limit(limit)
        .$narrowType<{ checkedAt: string }>()
        .execute(),
    async claimCheck({ slug, checkedAt }, at) {
      const claimed = await db
        .updateTable('publishers')
        .set({ checked_at: at })
        .where('slug', '=', slug)
        .where('verified_by', '=', 'website')
        .where('checked_at', '=', checkedAt)
        .returning('slug')
        .executeTakeFirst();
      return claimed !== undefined;
    },
  };
}
