import { isActiveAt } from '../../platform/database/is-active.ts';
import type { Database } from '../../platform/database/schema.ts';
import { latestEnd } from '../../platform/terms.ts';
/** An authorization response that waits for its client, encrypted with its state. */
export type ParkedEntry = {
  /** Hex SHA-256 of the state. */
  stateHash: string;
  /** The encrypted response. */
  sealed: string;
  /** The network of the browser. */
  network: string;
  expiresAt: string;
};

/** Authorization responses that wait for clients, in the database: they survive a restart, and all processes share them. */
export function createRelayStore(db: Database) {
  return {
    /** Adds an entry; false when its state already has one, collected or not. */
    async park({ stateHash, sealed, network, expiresAt }: ParkedEntry): Promise<boolean> {
      const parked = await db
        .insertInto('relay_entries')
        .values({ state_hash: stateHash, sealed, network, expires_at: expiresAt })
        .onConflict((conflict) => conflict.column('state_hash').doNothing())
        .returning('state_hash')
        .executeTakeFirst();
      return parked !== undefined;
    },
    /** The encrypted response of a state, if it was not collected. */
    async find(stateHash: string, now: string): Promise<string | null> {
      const row = await db
        .selectFrom('relay_entries')
        .select('sealed')
        .where('state_hash', '=', stateHash)
        .where(isActiveAt('relay_entries.expires_at', now))
        .executeTakeFirst();
      return row?.sealed ?? null;
    },
    /** Empties an entry, which stays until it expires, so that its state cannot be reused; false when it was empty already. */
    async empty(stateHash: string): Promise<boolean> {
      const emptied = await db
        .updateTable('relay_entries')
        .set({ sealed: null })
        .where('state_hash', '=', stateHash)
        .where('sealed', 'is not', null)
        .executeTakeFirst();
      return emptied.numUpdatedRows > 0n;
    },
    /** The number of entries, including collected ones: in all, and of one network. */
    async countIn(network: string, now: string): Promise<{ all: number; here: number }> {
      const counted = await db
        .selectFrom('relay_entries')
        .select(({ fn }) => fn.countAll().as('here'))
        .where('network', '=', network)
        .where(isActiveAt('relay_entries.expires_at', now))
        .executeTakeFirstOrThrow();
      const { all } = await db
        .selectFrom('relay_entries')
        .select(({ fn }) => fn.countAll().as('all'))
        .where('expires_at', '<=', latestEnd('relay_entries.expires_at', now))
        .executeTakeFirstOrThrow();
      return { all: Number(all), here: Number(counted.here) };
    },
    /** Deletes entries that have expired at a time. */
    async purgeExpired(at: string): Promise<void> {
      await db.deleteFrom('relay_entries').where('expires_at', '<=', at).execute();
    },
  };
}

export type RelayStore = ReturnType<typeof createRelayStore>;
