import type { MemberRole, PersonRole } from '@svc/contracts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { asciiLower, beginsWith } from '../../platform/database/begins-with.ts';
import { behindPlace } from '../../platform/database/in-order.ts';
import { type Database, flag, type Tables } from '../../platform/database/schema.ts';
import type { SortedPlace } from '../../platform/page-of.ts';

/** A person who signs in to the store. */
export type Person = {
  id: string;
  name: string;
  /** In lower case; null when nothing that they signed in with told one. */
  email: string | null;
  /** Whether a provider, or a mail that was answered, has shown that it is theirs. */
  emailVerified: boolean;
  role: PersonRole;
  suspended: boolean;
  createdAt: string;
};

/** The publishers that a person acts for, and as what. */
export type Memberships = ReadonlyMap<string, MemberRole>;

/** What may change about a person. */
export type PersonChange = Partial<Pick<Person, 'name' | 'email' | 'emailVerified' | 'role' | 'suspended'>>;

/** By what people are sorted. */
export type PersonSort = 'created' | 'name';

/**
 * Which people; all conditions must hold. `beginning` is how the name or the email address begins, whatever the case of its
 * ASCII letters; `after` is where the page before ended. Without a sort the newest come first.
 */
export type PersonSearch = {
  beginning?: string | undefined;
  role?: PersonRole | undefined;
  suspended?: boolean | undefined;
  sort?: PersonSort;
  direction?: 'asc' | 'desc';
  after: SortedPlace | null;
  limit: number;
};

/** A row as the domain knows it. */
export const personOf = (row: Selectable<Tables['people']>): Person => ({
  id: row.id,
  name: row.name,
  email: row.email,
  emailVerified: row.email_verified === 1,
  role: row.role as PersonRole,
  suspended: row.suspended === 1,
  createdAt: row.created_at,
});

/** The publishers that a person acts for. */
export async function membershipsOf(db: Database, personId: string): Promise<Memberships> {
  const rows = await db
    .selectFrom('members')
    .select(['publisher', 'role'])
    .where('person_id', '=', personId)
    .execute();
  return new Map(rows.map(({ publisher, role }) => [publisher, role as MemberRole]));
}

/** Its columns. The id is not among them: an update that names it makes SQLite look through every table that refers to it. */
const columnsOf = ({ name, email, emailVerified, role, suspended }: PersonChange) => ({
  ...(name !== undefined && { name }),
  ...(email !== undefined && { email }),
  ...(emailVerified !== undefined && { email_verified: flag(emailVerified) }),
  ...(role !== undefined && { role }),
  ...(suspended !== undefined && { suspended: flag(suspended) }),
});

/** As the indexes have them; names whatever the case of their ASCII letters. */
const SORT_KEYS: Readonly<Record<PersonSort, RawBuilder<unknown>>> = {
  created: sql.ref('created_at'),
  name: sql`lower(name)`,
};

/** The place of a person in an order. */
export const placeOfPerson = ({ id, name, createdAt }: Person, sort: PersonSort): SortedPlace => ({
  key: sort === 'name' ? asciiLower(name) : createdAt,
  id,
});

/** People, in the database. */
export function createPersonStore(db: Database) {
  const all = db.selectFrom('people').selectAll();
  return {
    /** Keeps a new person; false when another has the email address. */
    async add({ id, name, email, emailVerified, role, suspended, createdAt }: Person): Promise<boolean> {
      const made = await db
        .insertInto('people')
        .values({
          id,
          name,
          email,
          email_verified: flag(emailVerified),
          role,
          suspended: flag(suspended),
          created_at: createdAt,
        })
        .onConflict((conflict) => conflict.column('email').doNothing())
        .returning('id')
        .executeTakeFirst();
      return made !== undefined;
    },
    async find(id: string): Promise<Person | null> {
      const row = await all.where('id', '=', id).executeTakeFirst();
      return row ? personOf(row) : null;
    },
    async findByEmail(email: string): Promise<Person | null> {
      const row = await all.where('email', '=', email).executeTakeFirst();
      return row ? personOf(row) : null;
    },
    /** Those of the ids that exist. */
    async findAll(ids: readonly string[]): Promise<Person[]> {
      if (ids.length === 0) return [];
      return (await all.where('id', 'in', ids).execute()).map(personOf);
    },
    /** Applies a change and returns the result; null when there is no such person. */
    async change(id: string, change: PersonChange): Promise<Person | null> {
      const columns = columnsOf(change);
      const row =
        Object.keys(columns).length === 0
          ? await all.where('id', '=', id).executeTakeFirst()
          : await db
              .updateTable('people')
              .set(columns)
              .where('id', '=', id)
              .returningAll()
              .executeTakeFirst();
      return row ? personOf(row) : null;
    },
    /** Whether anybody is an administrator who is not suspended; anybody but one person when they are named. */
    async hasAdministrator(but: string = ''): Promise<boolean> {
      const row = await db
        .selectFrom('people')
        .select('id')
        .where('role', '=', 'administrator')
        .where('suspended', '=', 0)
        .where('id', '!=', but)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** People in an order: as many as `limit` says, and one more when there are more. */
    async search({
      beginning,
      role,
      suspended,
      sort = 'created',
      direction = 'desc',
      after,
      limit,
    }: PersonSearch): Promise<Person[]> {
      const key = SORT_KEYS[sort];
      let query = all;
      if (beginning !== undefined) query = query.where(beginsWith(['name', 'email'], beginning));
      if (role !== undefined) query = query.where('role', '=', role);
      if (suspended !== undefined) query = query.where('suspended', '=', flag(suspended));
      if (after) query = query.where(behindPlace({ key, id: sql.ref('id'), direction }, after));
      const rows = await query
        .orderBy(key, direction)
        .orderBy('id', direction)
        .limit(limit + 1)
        .execute();
      return rows.map(personOf);
    },
    /** The publishers that a person acts for. */
    membershipsOf: (id: string): Promise<Memberships> => membershipsOf(db, id),
  };
}

export type PersonStore = ReturnType<typeof createPersonStore>;
