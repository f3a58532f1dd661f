import { type Selectable, sql } from 'kysely';
import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import { allOf, hasRow } from '../../platform/database/queries.ts';
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
  const countOf = async (
    table: 'scim_users' | 'scim_groups',
    provider: string,
    filter: ScimFilter | null,
  ) => {
    const row = await found(table, provider, filter)
      .select(sql<number>`count(*)`.as('total'))
      .executeTakeFirst();
    return Number(row?.total ?? 0);
  };
  return {
    async user(provider: string, id: string): Promise<ScimUser | null> {
      const mine = found('scim_users', provider, { attribute: 'id', value: id });
      const row = await mine.selectAll('scim_users').executeTakeFirst();
      return row ? userOf(row) : null;
    },
    async users(provider: string, { filter, start, count }: ScimPage) {
      const rows = await found('scim_users', provider, filter)
        .selectAll('scim_users')
        .orderBy('scim_users.id')
        .limit(count)
        .offset(start)
        .execute();
      return { items: rows.map(userOf), total: await countOf('scim_users', provider, filter) };
    },
    /** The number of active users of a provider. */
    async activeUsers(provider: string): Promise<number> {
      const row = await db
        .selectFrom('scim_users')
        .select(sql<number>`count(*)`.as('total'))
        .where('provider', '=', provider)
        .where('active', '=', 1)
        .executeTakeFirst();
      return Number(row?.total ?? 0);
    },
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
    async group(provider: string, id: string): Promise<ScimGroup | null> {
      const mine = found('scim_groups', provider, { attribute: 'id', value: id });
      const row = await mine.selectAll('scim_groups').executeTakeFirst();
      return row ? fieldsOf(row) : null;
    },
    async groups(provider: string, { filter, start, count }: ScimPage) {
      const rows = await found('scim_groups', provider, filter)
        .selectAll('scim_groups')
        .orderBy('scim_groups.id')
        .limit(count)
        .offset(start)
        .execute();
      return {
        items: rows.map((row) => fieldsOf(row)),
        total: await countOf('scim_groups', provider, filter),
      };
    },
    /** Adds or changes a group; false when another of the provider has the name. */
    async keepGroup(group: ScimGroup): Promise<boolean> {
      const taken = await db
        .selectFrom('scim_groups')
        .select('id')
        .where('provider', '=', group.provider)
        .where('name', '=', group.name)
        .where('id', '!=', group.id)
        .limit(1)
        .executeTakeFirst();
      if (taken) return false;
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
    async addMember(groupId: string, userId: string): Promise<void> {
      await db
        .insertInto('scim_members')
        .values({ group_id: groupId, user_id: userId })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async removeMember(groupId: string, userId: string): Promise<void> {
      await db
        .deleteFrom('scim_members')
        .where('group_id', '=', groupId)
        .where('user_id', '=', userId)
        .execute();
    },
    /** The names of the groups of an account; null where the provider provisions no groups. */
    async groupsOf(provider: string, personId: string): Promise<string[] | null> {
      const any = await db
        .selectFrom('scim_groups')
        .select('id')
        .where('provider', '=', provider)
        .limit(1)
        .executeTakeFirst();
      if (!any) return null;
      const rows = await db
        .selectFrom('scim_users')
        .innerJoin('scim_members', 'scim_members.user_id', 'scim_users.id')
        .innerJoin('scim_groups', 'scim_groups.id', 'scim_members.group_id')
        .select('scim_groups.name')
        .where('scim_users.provider', '=', provider)
        .where('scim_users.person_id', '=', personId)
        .execute();
      return rows.map(({ name }) => name);
    },
  };
}

export type ScimStore = ReturnType<typeof createScimStore>;
