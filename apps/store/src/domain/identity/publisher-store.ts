import type { Publisher, VerifiedBy } from '@svc/contracts';
import { type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { asciiLower, beginsWith } from '../../platform/database/begins-with.ts';
import { isDueSince } from '../../platform/database/holds.ts';
import { behindPlace } from '../../platform/database/in-order.ts';
import { type Database, flag, type Tables } from '../../platform/database/schema.ts';
import { noteVisibilityOfPublisher } from '../../platform/database/visibility.ts';
import type { SortedPlace } from '../../platform/page-of.ts';

/** What is kept of a new publisher besides. */
export type PublisherMarks = {
  /** The slug as it looks, by `lookOf`. */
  look: string;
  /** What shows that the website is the publisher's, once it stands there. No secret. */
  proof: string;
};

/** How it stands with the verification of a publisher. */
export type VerificationStatus = {
  proof: string;
  /** Null when it is not verified. */
  verifiedBy: VerifiedBy | null;
  /** When the website was last looked at. */
  checkedAt: string | null;
  /** Since when the proof is missing on the website of a publisher that it verified. */
  missingSince: string | null;
};

/** What may change about a publisher. It is verified while a person or a check verifies it. */
export type PublisherFields = Partial<
  Pick<Publisher, 'name' | 'suspended'> & { website: string | null; verifiedHost: string | null } & Omit<
      VerificationStatus,
      'proof'
    >
>;

/** A publisher whose website is to be looked at again. */
export type DueCheck = { slug: string; checkedAt: string };

/** By what publishers are sorted. */
type PublisherSort = 'slug' | 'name' | 'created';

/** Which publishers; all conditions must hold. `beginning` is how the slug or the name begins, `after` where the page before ended. */
export type PublisherSearch = {
  beginning?: string | undefined;
  verified?: boolean | undefined;
  suspended?: boolean | undefined;
  sort: PublisherSort;
  direction: 'asc' | 'desc';
  after: SortedPlace | null;
  limit: number;
};

const SORT_KEYS: Readonly<Record<PublisherSort, RawBuilder<unknown>>> = {
  slug: sql.ref('slug'),
  name: sql`lower(${sql.ref('name')})`,
  created: sql.ref('created_at'),
};

/** The place of a publisher in an order. */
export const placeOfPublisher = ({ slug, name, createdAt }: Publisher, sort: PublisherSort): SortedPlace => ({
  key: { slug, name: asciiLower(name), created: createdAt }[sort],
  id: slug,
});

export const publisherOf = (row: Selectable<Tables['publishers']>): Publisher => ({
  slug: row.slug,
  name: row.name,
  ...(row.website !== null && { website: row.website }),
  verified: row.verified === 1,
  ...(row.verified_host !== null && { verifiedHost: row.verified_host }),
  suspended: row.suspended === 1,
  createdAt: row.created_at,
});

/** The slug is not among them: an update that names it makes SQLite look through every version for those of the publisher. */
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
export function createPublisherStore(db: Database) {
  const all = db.selectFrom('publishers').selectAll();
  return {
    /** Keeps a new publisher; false when its slug is taken, or one that looks like it. */
    async create(
      { slug, name, website, verified, verifiedHost, suspended, createdAt }: Publisher,
      { look, proof }: PublisherMarks,
    ): Promise<boolean> {
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
    async find(slug: string): Promise<Publisher | null> {
      const row = await all.where('slug', '=', slug).executeTakeFirst();
      return row ? publisherOf(row) : null;
    },
    /** Those of the slugs that exist, in the order of their slugs. */
    async findAll(slugs: readonly string[]): Promise<Publisher[]> {
      if (slugs.length === 0) return [];
      return (await all.where('slug', 'in', slugs).orderBy('slug').execute()).map(publisherOf);
    },
    /** Publishers in an order: as many as `limit` says, and one more when there are more. */
    async search(search: PublisherSearch): Promise<Publisher[]> {
      const { beginning, verified, suspended, sort, direction, after, limit } = search;
      const key = SORT_KEYS[sort];
      let query = all;
      if (beginning !== undefined) query = query.where(beginsWith(['slug', 'name'], beginning));
      if (verified !== undefined) query = query.where('verified', '=', flag(verified));
      if (suspended !== undefined) query = query.where('suspended', '=', flag(suspended));
      // Alone it is found in the index, which the pair of it twice is not.
      if (after && sort === 'slug') query = query.where('slug', direction === 'asc' ? '>' : '<', after.id);
      else if (after) query = query.where(behindPlace({ key, id: sql.ref('slug'), direction }, after));
      const rows = await query
        .orderBy(key, direction)
        .orderBy('slug', direction)
        .limit(limit + 1)
        .execute();
      return rows.map(publisherOf);
    },
    /** How it stands with its verification; null when there is no such publisher. */
    async standing(slug: string): Promise<VerificationStatus | null> {
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
    /** Applies a change and returns the result; null when there is no such publisher. */
    async change(slug: string, change: PublisherFields): Promise<Publisher | null> {
      const columns = columnsOf(change);
      const row =
        Object.keys(columns).length === 0
          ? await all.where('slug', '=', slug).executeTakeFirst()
          : await db
              .updateTable('publishers')
              .set(columns)
              .where('slug', '=', slug)
              .returningAll()
              .executeTakeFirst();
      if (change.suspended !== undefined) await noteVisibilityOfPublisher(db, slug);
      return row ? publisherOf(row) : null;
    },
    /** Publishers verified by their website that nobody has looked at since a time, the longest ago first. */
    dueForCheck: (now: string, limit: number): Promise<DueCheck[]> =>
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
    /** Takes a check upon oneself; false when another process has, or the publisher is no longer verified by its website. */
    async claimCheck({ slug, checkedAt }: DueCheck, at: string): Promise<boolean> {
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

export type PublisherStore = ReturnType<typeof createPublisherStore>;
