import type { MemberRole, PersonRole } from '@svc/contracts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import type { Memberships, Person, PersonStore } from '../../domain/identity/person-store.ts';
import { beginsWith } from './begins-with.ts';
import { type Database, flag, type Tables } from './schema.ts';

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

/** People, in the database. */
export function createPersonStore(db: Database): PersonStore {
  const all = db.selectFrom('people').selectAll();
  return {
    async add({ id, name, email, emailVerified, role, suspended, createdAt }) {
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
    async find(id) {
      const row = await all.where('id', '=', id).executeTakeFirst();
      return row ? personOf(row) : null;
    },
    async findByEmail(email) {
      const row = await all.where('email', '=', email).executeTakeFirst();
      return row ? personOf(row) : null;
    },
    async findAll(ids) {
      if (ids.length === 0) return [];
      return (await all.where('id', 'in', ids).execute()).map(personOf);
    },
    async change(id, { name, email, emailVerified, role, suspended }) {
      const row = await db
        .updateTable('people')
        .set({
          id,
          ...(name !== undefined && { name }),
          ...(email !== undefined && { email }),
          ...(emailVerified !== undefined && { email_verified: flag(emailVerified) }),
          ...(role !== undefined && { role }),
          ...(suspended !== undefined && { suspended: flag(suspended) }),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row ? personOf(row) : null;
    },
    async hasAdministrator(but = '') {
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
    async search({ beginning, role, suspended, after, limit }) {
      let query = all;
      if (beginning !== undefined) query = query.where(beginsWith(['name', 'email'], beginning));
      if (role !== undefined) query = query.where('role', '=', role);
      if (suspended !== undefined) query = query.where('suspended', '=', flag(suspended));
      if (after) query = query.where(sql<SqlBool>`(created_at, id) < (${after.createdAt}, ${after.id})`);
      const rows = await query
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      return rows.map(personOf);
    },
    membershipsOf: (id) => membershipsOf(db, id),
  };
}
