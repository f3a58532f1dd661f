import { LIMITS } from '@svc/contracts';
import { sql } from 'kysely';
import { allOf, countRows, firstOf, hasChanged, isActiveAt } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { flag } from '../../platform/database/tables/columns.ts';
import { latestEnd } from '../../platform/terms.ts';

/** An authorization response that waits for its client, encrypted with its state. */
export type ParkedEntry = {
  /** Hex SHA-256 of the state. */
  stateHash: string;
  /** The encrypted response. */
  sealed: string;
  /** The site of the browser, for counting. */
  network: string;
  /** The network of the browser, to compare with those of clients. */
  browser: string;
  /** The hash of the ticket with which the page of the browser confirms a client. */
  ticketHash: string;
  /** Whether any client with the state may have it: it contains no code, or a client was confirmed. */
  isConfirmed: boolean;
  expiresAt: string;
};

/** A client that waits for the response to a state, by the network that it polls from. */
export type WaitingClient = {
  stateHash: string;
  network: string;
  /** The site of the client, for counting. */
  site: string;
  /** The app whose account is connected, as the client says. */
  appId: string | null;
  expiresAt: string;
};

/** What the digits that a user typed did. `gone`: there is no such response any more. */
export type Confirmation = 'confirmed' | 'wrong' | 'gone';

/** Authorization responses that wait for clients, in the database: they survive a restart, and all processes share them. */
export function createRelayStore(db: Database) {
  return {
    /** Adds an entry; false when its state already has one, collected or not. */
    async park(entry: ParkedEntry): Promise<void> {
      const { stateHash, sealed, network, browser, ticketHash, isConfirmed, expiresAt } = entry;
      await db
        .insertInto('relay_entries')
        .values({
          state_hash: stateHash,
          sealed,
          network,
          browser,
          ticket_hash: ticketHash,
          confirmed: flag(isConfirmed),
          tries: 0,
          expires_at: expiresAt,
        })
        .onConflict((conflict) => conflict.column('state_hash').doNothing())
        .execute();
    },
    /** The encrypted response of a state, if it was not collected, and who may have it. */
    async find(
      stateHash: string,
      now: string,
    ): Promise<{ sealed: string; browser: string | null; isConfirmed: boolean } | null> {
      const row = await db
        .selectFrom('relay_entries')
        .select(['sealed', 'browser', 'confirmed'])
        .where('state_hash', '=', stateHash)
        .where(isActiveAt('relay_entries.expires_at', now))
        .executeTakeFirst();
      if (!row || row.sealed === null) return null;
      return { sealed: row.sealed, browser: row.browser, isConfirmed: row.confirmed === 1 };
    },
    /** The state of a ticket whose response was not collected; null when there is none. */
    stateOfTicket: (ticketHash: string, now: string): Promise<string | null> =>
      firstOf(
        db
          .selectFrom('relay_entries')
          .select('state_hash')
          .where('ticket_hash', '=', ticketHash)
          .where('sealed', 'is not', null)
          .where(isActiveAt('relay_entries.expires_at', now)),
        (row) => row.state_hash,
      ),
    /**
     * Lets every client with the state have a response, or counts wrong digits, the last of which deletes the response. Each is one
     * statement, so that concurrent guesses get no more tries.
     */
    async confirm(ticketHash: string, isRight: boolean): Promise<Confirmation> {
      const { tries } = LIMITS.relay;
      const row = await db
        .updateTable('relay_entries')
        .set(
          isRight
            ? { confirmed: 1 }
            : {
                tries: sql<number>`tries + 1`,
                sealed: sql<string | null>`case when tries + 1 < ${tries} then sealed end`,
              },
        )
        .where('ticket_hash', '=', ticketHash)
        .where('sealed', 'is not', null)
        .where('confirmed', '=', 0)
        .returning('tries')
        .executeTakeFirst();
      if (!row) return 'gone';
      if (isRight) return 'confirmed';
      return row.tries < tries ? 'wrong' : 'gone';
    },
    /** Empties an entry, which stays until it expires, so that its state cannot be reused; false when it was empty already. */
    empty: (stateHash: string): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('relay_entries')
          .set({ sealed: null })
          .where('state_hash', '=', stateHash)
          .where('sealed', 'is not', null),
      ),
    /** The number of entries, including collected ones: in all, and of one network. */
    async countIn(network: string, now: string): Promise<{ all: number; here: number }> {
      const all = db.selectFrom('relay_entries');
      return {
        all: await countRows(all.where('expires_at', '<=', latestEnd('relay_entries.expires_at', now))),
        here: await countRows(
          all.where('network', '=', network).where(isActiveAt('relay_entries.expires_at', now)),
        ),
      };
    },
    /** The clients that wait for the response to a state. */
    clientsOf: (stateHash: string, now: string): Promise<{ network: string; appId: string | null }[]> =>
      allOf(
        db
          .selectFrom('relay_clients')
          .select(['network', 'app_id'])
          .where('state_hash', '=', stateHash)
          .where(isActiveAt('relay_clients.expires_at', now))
          .orderBy('network'),
        ({ network, app_id: appId }) => ({ network, appId }),
      ),
    /** Adds a client, unless it waits already. */
    async addClient({ stateHash, network, site, appId, expiresAt }: WaitingClient): Promise<void> {
      await db
        .insertInto('relay_clients')
        .values({ state_hash: stateHash, network, site, app_id: appId, expires_at: expiresAt })
        .onConflict((conflict) => conflict.columns(['state_hash', 'network']).doNothing())
        .execute();
    },
    /** The number of waiting clients: in all, and of one site. */
    async countClients(site: string, now: string): Promise<{ all: number; here: number }> {
      const all = db.selectFrom('relay_clients');
      return {
        all: await countRows(all.where('expires_at', '<=', latestEnd('relay_clients.expires_at', now))),
        here: await countRows(
          all.where('site', '=', site).where(isActiveAt('relay_clients.expires_at', now)),
        ),
      };
    },
    /** Deletes responses and clients that have expired at a time. */
    async purgeExpired(at: string): Promise<void> {
      await db.deleteFrom('relay_entries').where('expires_at', '<=', at).execute();
      await db.deleteFrom('relay_clients').where('expires_at', '<=', at).execute();
    },
  };
}

export type RelayStore = ReturnType<typeof createRelayStore>;
