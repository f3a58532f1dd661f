import { holdsAt } from '../platform/database/holds.ts';
import type { Database } from '../platform/database/schema.ts';
import { latestEnd } from '../platform/terms.ts';
/** An answer of an OAuth server that waits for its client. Neither state nor code can be read back from it. */
export type ParkedEntry = {
  /** Hex SHA-256 of the state. */
  stateHash: string;
  /** What was sent, for the one who knows the state. */
  sealed: string;
  /** Where the browser was. */
  network: string;
  expiresAt: string;
};

/** What waits for clients, in the database: it outlives the process, and is there for all of them. */
export function createRelayStore(db: Database) {
  return {
    /** Parks an entry, unless there is or was one with its state; whether it did. */
    async park({ stateHash, sealed, network, expiresAt }: ParkedEntry): Promise<boolean> {
      const parked = await db
        .insertInto('relay_entries')
        .values({ state_hash: stateHash, sealed, network, expires_at: expiresAt })
        .onConflict((conflict) => conflict.column('state_hash').doNothing())
        .returning('state_hash')
        .executeTakeFirst();
      return parked !== undefined;
    },
    /** What is parked under a state and has not been taken. */
    async find(stateHash: string, now: string): Promise<string | null> {
      const row = await db
        .selectFrom('relay_entries')
        .select('sealed')
        .where('state_hash', '=', stateHash)
        .where(holdsAt('relay_entries.expires_at', now))
        .executeTakeFirst();
      return row?.sealed ?? null;
    },
    /** Empties an entry, which stays until it expires, so that nothing else takes its place; false when another was faster. */
    async empty(stateHash: string): Promise<boolean> {
      const emptied = await db
        .updateTable('relay_entries')
        .set({ sealed: null })
        .where('state_hash', '=', stateHash)
        .where('sealed', 'is not', null)
        .executeTakeFirst();
      return emptied.numUpdatedRows > 0n;
    },
    /** How many entries there are, taken ones too: in all, and of one network. */
    async countIn(network: string, now: string): Promise<{ all: number; here: number }> {
      const counted = await db
        .selectFrom('relay_entries')
        .select(({ fn }) => fn.countAll().as('here'))
        .where('network', '=', network)
        .where(holdsAt('relay_entries.expires_at', now))
        .executeTakeFirstOrThrow();
      const { all } = await db
        .selectFrom('relay_entries')
        .select(({ fn }) => fn.countAll().as('all'))
        .where('expires_at', '<=', latestEnd('relay_entries.expires_at', now))
        .executeTakeFirstOrThrow();
      return { all: Number(all), here: Number(counted.here) };
    },
    /** Forgets those that had expired at a time. */
    async purgeExpired(at: string): Promise<void> {
      await db.deleteFrom('relay_entries').where('expires_at', '<=', at).execute();
    },
  };
}

export type RelayStore = ReturnType<typeof createRelayStore>;
