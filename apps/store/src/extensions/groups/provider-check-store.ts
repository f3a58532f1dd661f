import { sql } from 'kysely';
import { columnsOf } from '../../platform/database/fields.ts';
import { allOf, hasChanged, isInactiveAt, run } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

/** When the provider of an account last confirmed its user, and when the store asks again. */
export type ProviderCheck = {
  identityId: string;
  /** The sealed refresh token; null where the provider gave none. */
  sealed: string | null;
  confirmedAt: string;
  nextAt: string;
};

/** A check, and the account that it is about. */
export type DueCheck = ProviderCheck & { issuer: string; subject: string; personId: string };

/** Stores when the accounts at providers are checked. */
export const createProviderCheckStore = (db: Database) => ({
  /** Records that the provider confirmed a user at a sign-in, in place of the last time. */
  keep: (check: ProviderCheck): Promise<void> =>
    run(
      db
        .insertInto('provider_checks')
        .values(columnsOf(check))
        .onConflict((conflict) => conflict.column('identity_id').doUpdateSet(columnsOf(check))),
    ),
  /** Adds a check for accounts that have none: those from before groups decided something. The time counts as a confirmation. */
  adopt: (issuers: readonly string[], at: string): Promise<void> =>
    run(
      db
        .insertInto('provider_checks')
        .columns(['identity_id', 'confirmed_at', 'next_at'])
        .expression(
          db
            .selectFrom('identities')
            .leftJoin('provider_checks', 'provider_checks.identity_id', 'identities.id')
            .select(['identities.id', sql.val(at).as('confirmed_at'), sql.val(at).as('next_at')])
            .where('identities.issuer', 'in', issuers)
            .where('provider_checks.identity_id', 'is', null),
        )
        .onConflict((conflict) => conflict.doNothing()),
    ),
  /** The checks that are due, the longest waiting first. */
  due: (now: string, limit: number): Promise<DueCheck[]> =>
    allOf(
      db
        .selectFrom('provider_checks')
        .innerJoin('identities', 'identities.id', 'provider_checks.identity_id')
        .selectAll('provider_checks')
        .select(['issuer', 'subject', 'person_id'])
        .where(isInactiveAt('provider_checks.next_at', now))
        .orderBy('next_at')
        .orderBy('identity_id')
        .limit(limit),
      (row) => ({
        ...{ identityId: row.identity_id, sealed: row.sealed, confirmedAt: row.confirmed_at },
        ...{ nextAt: row.next_at, issuer: row.issuer, subject: row.subject, personId: row.person_id },
      }),
    ),
  /** Claims a check; false when another process has: a provider may end every token of a user whose refresh token is used twice. */
  claim: ({ identityId, nextAt }: ProviderCheck, until: string): Promise<boolean> =>
    hasChanged(
      db
        .updateTable('provider_checks')
        .set({ next_at: until })
        .where('identity_id', '=', identityId)
        .where('next_at', '=', nextAt),
    ),
  /** Records the result of a claimed check, unless the user signed in meanwhile. */
  finish: (
    { identityId, sealed, confirmedAt }: ProviderCheck,
    nextAt: string,
    claimedUntil: string,
  ): Promise<boolean> =>
    hasChanged(
      db
        .updateTable('provider_checks')
        .set({ sealed, confirmed_at: confirmedAt, next_at: nextAt })
        .where('identity_id', '=', identityId)
        .where('next_at', '=', claimedUntil),
    ),
  /** Records whether the provider confirms a user; null when it does. Their tokens have no effect meanwhile. */
  setUnconfirmed: (personId: string, unconfirmed: 'refused' | 'stale' | null): Promise<boolean> =>
    hasChanged(
      db
        .updateTable('people')
        .set({ unconfirmed })
        .where('id', '=', personId)
        .where(sql<boolean>`coalesce(unconfirmed, '') <> ${unconfirmed ?? ''}`),
    ),
});

export type ProviderCheckStore = ReturnType<typeof createProviderCheckStore>;
