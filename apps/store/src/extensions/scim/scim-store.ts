import { type Selectable, sql } from 'kysely';
import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import { allOf, countRows, firstOf, hasRow, insertMissing, run } from '../../platform/database/queries.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';
import { flag } from '../../platform/database/tables/columns.ts';

/** A user as a provider provisions it (RFC 7643 section 4.1), and the account here that it is. Its name is in lower case, as it is not case-sensitive. */
export type ScimUser = Omit<RecordOf<'scim_users'>, 'active'> & { active: boolean };

/** A group (RFC 7643 section 4.2). */
export type ScimGroup = RecordOf<'scim_groups'>;

/** An attribute that is searched for. */
export type ScimFilter = { attribute: 'id' | 'name' | 'externalId' | 'email'; value: string };

/** A page of a list: `start` counts from 0. */
export type ScimPage = { filter: ScimFilter | null; start: number; count: number };

const userOf = ({ active, ...row }: Selectable<Tables['scim_users']>): ScimUser => ({
  ...fieldsOf(row),
  active: active === 1,
});

const COLUMNS = {
  scim_users: { id: 'id', name: 'user_name', externalId: 'external_id', email: 'email' },
  scim_groups: { id: 'id', name: 'name', externalId: 'external_id', email: 'name' },
} as const;

/** Stores what providers provision. */
export function createScimStore(db: Database) {
  const found = (table: 'scim_users' | 'scim_groups', provider: string, filter: ScimFilter | null) => {
    const all = db.selectFrom(table).where(`${table}.provider`, '=', provider);
    return filter === null ? all : all.where(sql.ref(COLUMNS[table][filter.attribute]), '=', filter.value);
  };
  const pageOf = (
    table: 'scim_users' | 'scim_groups',
    provider: string,
    { filter, start, count }: ScimPage,
  ) => found(table, provider, filter).orderBy(`${table}.id`).limit(count).offset(start);
  return {
    user: (provider: string, id: string): Promise<ScimUser | null> =>
      firstOf(found('scim_users', provider, { attribute: 'id', value: id }).selectAll('scim_users'), userOf),
    users: async (provider: string, page: ScimPage) => ({
      items: await allOf(pageOf('scim_users', provider, page).selectAll('scim_users'), userOf),
      total: await countRows(found('scim_users', provider, page.filter)),
    }),
    /** The number of active users of a provider. */
    activeUsers: (provider: string): Promise<number> =>
      countRows(db.selectFrom('scim_users').where('provider', '=', provider).where('active', '=', 1)),
    /** Adds or changes a user; false when another of the provider has the name, or is the same account. */
    async keepUser(user: ScimUser): Promise<boolean> {
      const values = { ...columnsOf(user), active: flag(user.active) };
      const { id, ...changed } = values;
      const taken = db
        .selectFrom('scim_users')
        .select('id')
        .where('provider', '=', user.provider)
        .where((row) => row.or([row('user_name', '=', user.userName), row('person_id', '=', user.personId)]))
        .where('id', '!=', id);
      if (await hasRow(taken.limit(1))) return false;
      const kept = db.insertInto('scim_users').values(values);
      return hasRow(
        kept.onConflict((conflict) => conflict.column('id').doUpdateSet(changed)).returning('id'),
      );
    },
    async removeUser(id: string): Promise<void> {
      await db.deleteFrom('scim_members').where('user_id', '=', id).execute();
      await db.deleteFrom('scim_users').where('id', '=', id).execute();
    },
    /** Deletes what providers say of an account. */
    async removePerson(personId: string): Promise<void> {
      const provisioned = db.selectFrom('scim_users').select('id').where('person_id', '=', personId);
      await db.deleteFrom('scim_members').where('user_id', 'in', provisioned).execute();
      await db.deleteFrom('scim_users').where('person_id', '=', personId).execute();
    },
    group: (provider: string, id: string): Promise<ScimGroup | null> =>
      firstOf(
        found('scim_groups', provider, { attribute: 'id', value: id }).selectAll('scim_groups'),
        fieldsOf,
      ),
    groups: async (provider: string, page: ScimPage) => ({
      items: await allOf(pageOf('scim_groups', provider, page).selectAll('scim_groups'), fieldsOf),
      total: await countRows(found('scim_groups', provider, page.filter)),
    }),
    /** Adds or changes a group; false when another of the provider has the name. */
    async keepGroup(group: ScimGroup): Promise<boolean> {
      const taken = db
        .selectFrom('scim_groups')
        .select('id')
        .where('provider', '=', group.provider)
        .where('name', '=', group.name)
        .where('id', '!=', group.id);
      if (await hasRow(taken.limit(1))) return false;
      const { id: _id, provider: _provider, created_at: _createdAt, ...changed } = columnsOf(group);
      await db
        .insertInto('scim_groups')
        .values(columnsOf(group))
        .onConflict((conflict) => conflict.column('id').doUpdateSet(changed))
        .execute();
      return true;
    },
    async removeGroup(id: string): Promise<void> {
      await db.deleteFrom('scim_members').where('group_id', '=', id).execute();
      await db.deleteFrom('scim_groups').where('id', '=', id).execute();
    },
    /** The users of a group. */
    members: (groupId: string): Promise<ScimUser[]> =>
      allOf(
        db
          .selectFrom('scim_users')
          .innerJoin('scim_members', 'scim_members.user_id', 'scim_users.id')
          .selectAll('scim_users')
          .where('scim_members.group_id', '=', groupId)
          .orderBy('scim_users.id'),
        userOf,
      ),
    addMember: (groupId: string, userId: string): Promise<void> =>
      insertMissing(db.insertInto('scim_members').values({ group_id: groupId, user_id: userId })),
    removeMember: (groupId: string, userId: string): Promise<void> =>
      run(db.deleteFrom('scim_members').where('group_id', '=', groupId).where('user_id', '=', userId)),
    /** The names of the groups of an account; null where the provider provisions no groups. */
    async groupsOf(provider: string, personId: string): Promise<string[] | null> {
      const groups = db.selectFrom('scim_groups').select('id').where('provider', '=', provider);
      if (!(await hasRow(groups.limit(1)))) return null;
      return allOf(
        db
          .selectFrom('scim_users')
          .innerJoin('scim_members', 'scim_members.user_id', 'scim_users.id')
          .innerJoin('scim_groups', 'scim_groups.id', 'scim_members.group_id')
          .select('scim_groups.name')
          .where('scim_users.provider', '=', provider)
          .where('scim_users.person_id', '=', personId),
        ({ name }) => name,
      );
    },
  };
}

export type ScimStore = ReturnType<typeof createScimStore>;
