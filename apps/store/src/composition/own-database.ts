import { sql } from 'kysely';
import type { ConnectionCheck } from '../adapters/postgres/open-postgres.ts';
import type { BlobLedger } from '../core/publishing/blob-ledger.ts';
import type { Database } from '../platform/database/schema.ts';
import type { UnitOfWork } from '../platform/system.ts';
import { UnavailableError } from '../platform/unavailable-error.ts';

/** What names the store of a database, and the tables that its program has made. */
const IDENTITY =
  'select (select name from blob_owner where id = 1) as owner, (select count(*) from kysely_migration) as tables';

type Identity = { owner: string | null; tables: number };

function requireOwner(expected: string | null, { owner }: Pick<Identity, 'owner'>): void {
  if (expected === null || owner === expected) return;
  throw new UnavailableError(
    `The database is that of ${owner === null ? 'no store' : `the store ${owner}`}, and this is the store ${expected}: bring back the right database.`,
  );
}

/**
 * Checks that the database is still the one of this store, with the tables of this program: an address may lead to another server
 * after a failover, and a file or a database may be replaced by another copy while the store runs.
 */
export function watchDatabase() {
  let expected: Identity | null = null;
  const listeners: (() => void)[] = [];
  let connections = 0;
  const requireSame = (found: Identity): void => {
    requireOwner(expected?.owner ?? null, found);
    if (expected && Number(found.tables) < Number(expected.tables))
      throw new UnavailableError(
        'The database has tables of an earlier version of the store: bring back the newer database, or restart the store.',
      );
  };
  const identityOf = async (db: Database) =>
    (await sql.raw<Identity>(IDENTITY).execute(db)).rows[0] as Identity;
  /** Checks a new connection to PostgreSQL, and calls the listeners unless it is the first. */
  const onConnect: ConnectionCheck = async (query) => {
    if (expected) requireSame((await query(IDENTITY))[0] as Identity);
    connections += 1;
    if (connections > 1) for (const listener of listeners) listener();
  };
  return {
    onConnect,
    /** Registers a listener for new connections. */
    onReconnect(listener: () => void): void {
      listeners.push(listener);
    },
    /** From now on the database must be the one that it is now. */
    async remember(db: Database): Promise<void> {
      expected = await identityOf(db);
    },
    /** @throws UnavailableError when it is another one */
    require: async (db: Database): Promise<void> => requireSame(await identityOf(db)),
    /** A unit of work that refuses another database, within its transaction. */
    within:
      <S extends { blobLedger: Pick<BlobLedger, 'knownName'> }>(unitOfWork: UnitOfWork<S>): UnitOfWork<S> =>
      (work) =>
        unitOfWork(async (stores) => {
          requireOwner(expected?.owner ?? null, { owner: await stores.blobLedger.knownName() });
          return work(stores);
        }),
  };
}

export type DatabaseWatch = ReturnType<typeof watchDatabase>;
