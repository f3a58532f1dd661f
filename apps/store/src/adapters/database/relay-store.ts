import { latestEnd } from '../../platform/terms.ts';
import type { RelayStore } from '../../relay/relay-store.ts';
import { holdsAt } from './holds.ts';
import type { Database } from './schema.ts';

/** What waits for clients, in the database: it outlives the process, and is there for all of them. */
export function createRelayStore(db: Database): RelayStore {
  return {
    async park({ stateHash, sealed, network, expiresAt }) {
      const parked = await db
        .insertInto('relay_entries')
        .values({ state_hash: stateHash, sealed, network, expires_at: expiresAt })
        .onConflict((conflict) => conflict.column('state_hash').doNothing())
        .returning('state_hash')
        .executeTakeFirst();
      return parked !== undefined;
    },
    async find(stateHash, now) {
      const row = await db
        .selectFrom('relay_entries')
        .select('sealed')
        .where('state_hash', '=', stateHash)
        .where(holdsAt('relay_entries.expires_at', now))
        .executeTakeFirst();
      return row?.sealed ?? null;
    },
    async empty(stateHash) {
      const emptied = await db
        .updateTable('relay_entries')
        .set({ sealed: null })
        .where('state_hash', '=', stateHash)
        .where('sealed', 'is not', null)
        .executeTakeFirst();
      return emptied.numUpdatedRows > 0n;
    },
    async countIn(network, now) {
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
    async forgetExpired(at) {
      await db.deleteFrom('relay_entries').where('expires_at', '<=', at).execute();
    },
  };
}
