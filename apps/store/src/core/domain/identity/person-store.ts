import type { MemberRole, PersonRole, Suspension } from '@svc/contracts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { firstOf, hasRow } from '../../../platform/database/queries.ts';
import type { Database, Tables } from '../../../platform/database/schema.ts';
import { flag } from '../../../platform/database/tables/columns.ts';
import { endFirstApprovals, withholdVersionsOfSubmitter } from '../../../platform/database/visibility.ts';
import { asciiLower, type TextSearch, type Walked, walk } from '../../../platform/database/walk.ts';
import type { SortedPlace } from '../../../platform/page-of.ts';

/** A user of the store. */
export type Person = {
  id: string;
  name: string;
  /** In lower case; null when no way to sign in provided one. */
  email: string | null;
  /** Whether a provider, or a link in a mail, has proved that it is theirs. */
  emailVerified: boolean;
  role: PersonRole;
  suspended: boolean;
  /** Why, since when and by whom, while it is suspended. */
  suspension?: Suspension;
  /** Why the provider does not confirm the user; absent where it does, or decides nothing. */
  unconfirmed?: 'refused' | 'stale';
  createdAt: string;
};

/** The publishers that a user acts for, and the role in each. */
export type Memberships = ReadonlyMap<string, MemberRole>;

/** A publisher that a user owns, and when the user last recovered the account; null when they never did. */
export type Ownership = { id: string; publisher: string; recoveredAt: string | null };

/** The fields of a user that may change. */
export type PersonChange = Partial<
  Pick<Person, 'name' | 'email' | 'emailVerified' | 'role' | 'suspended'> & { suspension: Suspension | null }
>;

/** The sort orders of users. */
export type PersonSort = 'created' | 'name';

/**
 * A search for users who match all filters. Name, email address or id contain `text`; `after` is the end of the previous page. Without a
 * sort the newest come first.
 */
export type PersonSearch = TextSearch & {
  id?: string | undefined;
  role?: PersonRole | undefined;
  suspended?: boolean | undefined;
  sort?: PersonSort;
  direction?: 'asc' | 'desc';
};

/** Converts a row. */
export const personOf = (
  row: Omit<
    Selectable<Tables['people']>,
    'recovered_at' | 'suspension_json' | 'grace_from' | 'unconfirmed'
  > & {
    suspension_json?: string | null;
    unconfirmed?: string | null;
  },
): Person => ({
  id: row.id,
  name: row.name,
  email: row.email,
  emailVerified: row.email_verified === 1,
  role: row.role as PersonRole,
  suspended: row.suspended === 1,
  ...(row.suspension_json && { suspension: JSON.parse(row.suspension_json) as Suspension }),
  ...(row.unconfirmed && { unconfirmed: row.unconfirmed as 'refused' | 'stale' }),
  createdAt: row.created_at,
});

/** The publishers that a user acts for. */
export async function membershipsOf(db: Database, personId: string): Promise<Memberships> {
  const rows = await db
    .selectFrom('members')
    .select(['publisher', 'role'])
    .where('person_id', '=', personId)
    .execute();
  return new Map(rows.map(({ publisher, role }) => [publisher, role]));
}

/** The changed columns. The id is not among them: an update of it makes SQLite search every table that refers to it. */
const columnsOf = ({ name, email, emailVerified, role, suspended, suspension }: PersonChange) => ({
  ...(suspension !== undefined && { suspension_json: suspension && JSON.stringify(suspension) }),
  ...(name !== undefined && { name }),
  ...(email !== undefined && { email }),
  ...(emailVerified !== undefined && { email_verified: flag(emailVerified) }),
  ...(role !== undefined && { role }),
  ...(suspended !== undefined && { suspended: flag(suspended) }),
});

/** The sort keys of the indexes; names regardless of the case of ASCII letters. */
const SORT_KEYS: Readonly<Record<PersonSort, RawBuilder<unknown>>> = {
  created: sql.ref('created_at'),
  name: sql`lower(name)`,
};

/** The place of a user in an order. */
export const placeOfPerson = ({ id, name, createdAt }: Person, sort: PersonSort): SortedPlace => ({
  key: sort === 'name' ? asciiLower(name) : createdAt,
  id,
});

export function createPersonStore(db: Database) {
  const all = db.selectFrom('people').selectAll();
  return {
    /** Adds a user; false when another has the email address. */
    add: ({ id, name, email, emailVerified, role, suspended, createdAt }: Person): Promise<boolean> =>
      hasRow(
        db
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
          .returning('id'),
      ),
    find: (id: string): Promise<Person | null> => firstOf(all.where('id', '=', id), personOf),
    findByEmail: (email: string): Promise<Person | null> => firstOf(all.where('email', '=', email), personOf),
    /** Finds the users with some ids, without those that do not exist. */
    async findAll(ids: readonly string[]): Promise<Person[]> {
      if (ids.length === 0) return [];
      return (await all.where('id', 'in', ids).execute()).map(personOf);
    },
    /** Applies a change and returns the result; null when there is no such user. */
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
      if (change.suspended !== undefined) await withholdVersionsOfSubmitter(db, id);
      if (row && (row.suspended === 1 || row.role === 'person')) await endFirstApprovals(db, id);
      return row ? personOf(row) : null;
    },
    /** When a user last recovered the account; null when they never did, or do not exist. */
    recoveredAt: (id: string): Promise<string | null> =>
      firstOf(
        db.selectFrom('people').select('recovered_at').where('id', '=', id),
        ({ recovered_at }) => recovered_at,
      ),
    /** Records a recovery, which proves the email address of the account. */
    async recover(id: string, at: string): Promise<void> {
      await endFirstApprovals(db, id);
      await db
        .updateTable('people')
        .set((person) => ({
          recovered_at: at,
          email_verified: person.case().when('email', 'is', null).then(flag(false)).else(flag(true)).end(),
        }))
        .where('id', '=', id)
        .execute();
    },
    /** Begins the time in which users may have a role without a passkey. @param id default: of all users with a role */
    async beginGrace(at: string, id?: string): Promise<void> {
      const change = db.updateTable('people').set({ grace_from: at });
      await (id === undefined
        ? change.where('role', 'in', ['moderator', 'administrator'])
        : change.where('id', '=', id)
      ).execute();
    },
    /** Whether there is an administrator who is not suspended. @param but a user who does not count */
    hasAdministrator: (but: string = ''): Promise<boolean> =>
      hasRow(
        db
          .selectFrom('people')
          .select('id')
          .where('role', '=', 'administrator')
          .where('suspended', '=', 0)
          .where('id', '!=', but)
          .limit(1),
      ),
    /** Searches users. */
    async search({ sort = 'created', direction = 'desc', ...search }: PersonSearch): Promise<Walked<Person>> {
      const { id, role, suspended } = search;
      let query = all;
      if (id !== undefined) query = query.where('id', '=', id);
      if (role !== undefined) query = query.where('role', '=', role);
      if (suspended !== undefined) query = query.where('suspended', '=', flag(suspended));
      const order = { key: SORT_KEYS[sort], id: sql.ref('id'), direction };
      const columns = ['name', 'email', 'id'];
      const found = await walk(query, order, { ...search, columns }, (row) =>
        placeOfPerson(personOf(row), sort),
      );
      return { ...found, rows: found.rows.map(personOf) };
    },
    /** What some users own now, without those that are suspended, and when each last recovered the account. */
    async ownerships(ids: readonly string[]): Promise<Ownership[]> {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom('people')
        .innerJoin('members', 'members.person_id', 'people.id')
        .select(['people.id', 'members.publisher', 'people.recovered_at'])
        .where('people.id', 'in', ids)
        .where('people.suspended', '=', 0)
        .where('members.role', '=', 'owner')
        .execute();
      return rows.map(({ recovered_at, ...row }) => ({ ...row, recoveredAt: recovered_at }));
    },
    /** The publishers of some users, by user. */
    async publishersOf(ids: readonly string[]): Promise<Map<string, string[]>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('members')
        .select(['person_id', 'publisher'])
        .where('person_id', 'in', ids)
        .orderBy('publisher')
        .execute();
      return new Map(
        Array.from(
          Map.groupBy(rows, ({ person_id }) => person_id),
          ([id, all]) => [id, all.map(({ publisher }) => publisher)],
        ),
      );
    },
    /** The publishers that a user acts for. */
    membershipsOf: (id: string): Promise<Memberships> => membershipsOf(db, id),
  };
}

export type PersonStore = ReturnType<typeof createPersonStore>;
