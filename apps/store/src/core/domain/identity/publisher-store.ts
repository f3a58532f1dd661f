import type { Publisher, Suspension, VerifiedBy } from '@svc/contracts';
import { type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { inTransaction } from '../../../platform/database/in-transaction.ts';
import { firstOf, hasChanged, isDueSince, isInserted } from '../../../platform/database/queries.ts';
import type { Database, Tables } from '../../../platform/database/schema.ts';
import { flag } from '../../../platform/database/tables/columns.ts';
import { updateVisibilityOfPublisher } from '../../../platform/database/visibility.ts';
import { asciiLower, type TextSearch, type Walked, walk } from '../../../platform/database/walk.ts';
import type { SortedPlace } from '../../../platform/page-of.ts';
import { logVerification } from '../trust/trust-log.ts';

/** Internal fields of a new publisher. */
export type PublisherMarks = {
  /** The look-alike key of the slug, of `lookOf`. */
  look: string;
  /** The token that proves the ownership of the website, once it is published there. Not a secret. */
  proof: string;
};

/** The verification status of a publisher. */
export type VerificationStatus = {
  proof: string;
  verifiedBy: VerifiedBy | null;
  /** When the website was last checked. */
  checkedAt: string | null;
  /** Since when the proof is missing on the website that verified the publisher. */
  missingSince: string | null;
};

export type PublisherWithStatus = { publisher: Publisher; status: VerificationStatus };

/** The fields of a publisher that may change. It is verified while `verifiedBy` is not null. */
export type PublisherFields = Partial<
  Pick<Publisher, 'name' | 'suspended'> & { suspension: Suspension | null } & {
    website: string | null;
    verifiedHost: string | null;
    storageMiB: number | null;
  } & Omit<VerificationStatus, 'proof'>
>;

/** The bytes that the versions of a publisher take, and how much an administrator lets it store; null when none chose. */
export type StoredOf = { bytes: number; limitMiB: number | null };

/** A publisher whose website is due for a check. */
export type DueCheck = { slug: string; checkedAt: string };

type PublisherSort = 'slug' | 'name' | 'created';

/** A search for publishers that match all filters. Slug or name contain `text`; `after` is the end of the previous page. */
export type PublisherSearch = TextSearch & {
  slug?: string | undefined;
  verified?: boolean | undefined;
  suspended?: boolean | undefined;
  sort: PublisherSort;
  direction: 'asc' | 'desc';
};

const SORT_KEYS: Readonly<Record<PublisherSort, RawBuilder<unknown>>> = {
  slug: sql.ref('slug'),
  name: sql`lower(${sql.ref('name')})`,
  created: sql.ref('created_at'),
};

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
  ...(row.suspension_json !== null && { suspension: JSON.parse(row.suspension_json) as Suspension }),
  createdAt: row.created_at,
  ...(row.origin !== null && { origin: row.origin }),
});

/** The changed columns. The slug is not among them: an update of it makes SQLite search all versions for those of the publisher. */
function columnsOf(change: PublisherFields): Updateable<Tables['publishers']> {
  const { name, website, suspended, suspension, verifiedBy, checkedAt, missingSince, storageMiB } = change;
  const verifiedHost = verifiedBy === null ? null : change.verifiedHost;
  return {
    ...(name !== undefined && { name }),
    ...(website !== undefined && { website }),
    ...(suspended !== undefined && { suspended: flag(suspended) }),
    ...(suspension !== undefined && { suspension_json: suspension && JSON.stringify(suspension) }),
    ...(verifiedBy !== undefined && { verified_by: verifiedBy, verified: flag(verifiedBy !== null) }),
    ...(verifiedHost !== undefined && { verified_host: verifiedHost }),
    ...(checkedAt !== undefined && { checked_at: checkedAt }),
    ...(missingSince !== undefined && { missing_since: missingSince }),
    ...(storageMiB !== undefined && { storage_mib: storageMiB }),
  };
}

/** The bytes of versions; those from a program before do not count their pictures. */
const storedBytes = sql<number>`sum(coalesce(stored_bytes, size))`;

const stored = (db: Database) =>
  db
    .selectFrom('publishers')
    .select(['slug', 'storage_mib as limit'])
    .select((of) => [
      of
        .selectFrom('versions')
        .select(storedBytes.as('bytes'))
        .whereRef('publisher', '=', 'slug')
        .as('bytes'),
    ]);

const storedRow = ({ bytes, limit }: { bytes: number | null; limit: number | null }): StoredOf => ({
  bytes: Number(bytes ?? 0),
  limitMiB: limit,
});

export function createPublisherStore(db: Database) {
  const all = db.selectFrom('publishers').selectAll();
  return {
    /** Adds a publisher; false when its slug, or one that looks like it, is in use. */
    create: (
      { slug, name, website, verified, verifiedHost, suspended, createdAt, origin }: Publisher,
      { look, proof }: PublisherMarks,
    ): Promise<boolean> =>
      inTransaction(db, async (tx) => {
        const isNew = await isInserted(
          tx.insertInto('publishers').values({
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
            origin: origin ?? null,
          }),
        );
        if (isNew && verified) await logVerification(tx, slug, { verified, host: verifiedHost });
        return isNew;
      }),
    find: (slug: string): Promise<Publisher | null> => firstOf(all.where('slug', '=', slug), publisherOf),
    /** Finds a publisher with the status of its verification. */
    findWithStatus: (slug: string): Promise<PublisherWithStatus | null> =>
      firstOf(all.where('slug', '=', slug), (row) => ({
        publisher: publisherOf(row),
        status: {
          proof: row.proof,
          verifiedBy: row.verified_by as VerifiedBy | null,
          checkedAt: row.checked_at,
          missingSince: row.missing_since,
        },
      })),
    /** Finds the publishers with some slugs, in the order of their slugs, without those that do not exist. */
    async findAll(slugs: readonly string[]): Promise<Publisher[]> {
      if (slugs.length === 0) return [];
      return (await all.where('slug', 'in', slugs).orderBy('slug').execute()).map(publisherOf);
    },
    /** Searches publishers. */
    async search({ sort, direction, ...search }: PublisherSearch): Promise<Walked<Publisher>> {
      const { slug, verified, suspended } = search;
      let query = all;
      if (slug !== undefined) query = query.where('slug', '=', slug);
      if (verified !== undefined) query = query.where('verified', '=', flag(verified));
      if (suspended !== undefined) query = query.where('suspended', '=', flag(suspended));
      const order = { key: SORT_KEYS[sort], id: SORT_KEYS.slug, direction };
      const found = await walk(query, order, { ...search, columns: ['slug', 'name'] }, (row) =>
        placeOfPublisher(publisherOf(row), sort),
      );
      return { ...found, rows: found.rows.map(publisherOf) };
    },
    /** The number of apps of some publishers, and of the installs of those that are listed. */
    async sizesOf(slugs: readonly string[]): Promise<Map<string, { apps: number; installs: number }>> {
      if (slugs.length === 0) return new Map();
      const rows = await db
        .selectFrom('apps')
        .leftJoin('listings', 'listings.app_id', 'apps.app_id')
        .select(({ fn }) => ['apps.publisher', fn.countAll().as('apps'), fn.sum('installs').as('installs')])
        .where('apps.publisher', 'in', slugs)
        .groupBy('apps.publisher')
        .execute();
      return new Map(
        rows.map(({ publisher, apps, installs }) => [
          publisher,
          { apps: Number(apps), installs: Number(installs ?? 0) },
        ]),
      );
    },
    /** What some publishers have stored, in all states of versions. */
    async storedOf(slugs: readonly string[]): Promise<Map<string, StoredOf>> {
      if (slugs.length === 0) return new Map();
      const rows = await stored(db).where('slug', 'in', slugs).execute();
      return new Map(rows.map(({ slug, ...row }) => [slug, storedRow(row)]));
    },
    /** The bytes that the versions of an app take. */
    async bytesOf(appId: string): Promise<number> {
      const versions = db.selectFrom('versions').where('app_id', '=', appId);
      const row = await versions.select(storedBytes.as('bytes')).executeTakeFirst();
      return Number(row?.bytes ?? 0);
    },
    /** Those of all publishers that use the largest shares of their storage, the fullest first. @param defaultMiB where none is chosen */
    async fullest(
      defaultMiB: number | null,
      { share, limit }: { share: number; limit: number },
    ): Promise<{ slug: string; share: number }[]> {
      const mib = sql<number>`coalesce(storage_mib, case when origin is null then cast(${defaultMiB} as bigint) end)`;
      const used = sql<number>`u.bytes / (nullif(${mib}, 0) * 1048576.0)`;
      const rows = await db
        .selectFrom('publishers')
        .innerJoin(
          db
            .selectFrom('versions')
            .select(['publisher', storedBytes.as('bytes')])
            .groupBy('publisher')
            .as('u'),
          'u.publisher',
          'slug',
        )
        .select(['slug', used.as('share')])
        .where(used, '>=', share)
        .orderBy(used, 'desc')
        .orderBy('slug')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ slug: row.slug, share: Number(row.share) }));
    },
    /** Applies a change and returns the result; null when there is no such publisher. */
    async change(slug: string, change: PublisherFields): Promise<Publisher | null> {
      const columns = columnsOf(change);
      if (Object.keys(columns).length === 0) return firstOf(all.where('slug', '=', slug), publisherOf);
      return inTransaction(db, async (tx) => {
        const changed = tx.updateTable('publishers').set(columns).where('slug', '=', slug).returningAll();
        const publisher = await firstOf(changed, publisherOf);
        if (change.suspended !== undefined) await updateVisibilityOfPublisher(tx, slug);
        if (publisher && change.verifiedBy !== undefined)
          await logVerification(tx, slug, { verified: publisher.verified, host: publisher.verifiedHost });
        return publisher;
      });
    },
    /** Publishers verified by their website whose last check is too long ago, the oldest check first. */
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
    /** Claims a check; false when another process has, or the publisher is no longer verified by its website. */
    claimCheck: ({ slug, checkedAt }: DueCheck, at: string): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('publishers')
          .set({ checked_at: at })
          .where('slug', '=', slug)
          .where('verified_by', '=', 'website')
          .where('checked_at', '=', checkedAt),
      ),
  };
}

export type PublisherStore = ReturnType<typeof createPublisherStore>;
