import { createHash } from 'node:crypto';
import { guarded } from '@svc/contracts/guarded';
import type { Client, ClientConfig, Pool, PoolClient } from 'pg';
import type { PostgresOptions } from '../postgres.ts';
import type { OpenSharedStore, SetChange, SharedStore } from '../storage/shared-store.ts';

/** The connections of one runtime, besides the one with its locks. */
const MAX_CONNECTIONS = 4;

/** Time limits in milliseconds: of a connection, and of a statement, which may carry a bundle. */
const CONNECT_MS = 5_000;
const STATEMENT_MS = 60_000;

/** The locks of a machine that is gone are released within half a minute. */
const KEEP_ALIVE =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3';

/** Pauses before the connection for notifications is opened again, in milliseconds. */
const RECONNECT_MS = { least: 250, most: 10_000 };

const tablesIn = (schema: string): string => `
  create table if not exists ${schema}.sets (name text primary key, version bigint not null);
  create table if not exists ${schema}.records (
    set_name text not null,
    name text not null,
    version bigint not null,
    content bytea not null,
    primary key (set_name, name)
  );
  create index if not exists records_by_version on ${schema}.records (set_name, version);
  create table if not exists ${schema}.blobs (
    name text collate "C" primary key,
    content bytea not null,
    at timestamptz not null default now()
  );
`;

/** A name as the number of an advisory lock, apart for each schema. */
function lockNumber(schema: string, name: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify(['svc', schema, name]))
    .digest();
  return hash.readBigInt64BE(0).toString();
}

/** The first text in the order of bytes after all that begin with a prefix, which ends with `/`. */
const after = (prefix: string): string => `${prefix.slice(0, -1)}0`;

async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // A connection whose transaction did not end is not used again.
    client.release(true);
    throw error;
  }
}

/** Creates the tables; users who may not create any use those that an administrator created. */
async function createTables(pool: Pool, schema: string, quoted: string): Promise<void> {
  const { rows } = await pool.query('select to_regclass($1) as found', [`${quoted}.blobs`]);
  if (rows[0]?.found) return;
  await inTransaction(pool, async (client) => {
    // Two processes that create the same table at once fail.
    await client.query('select pg_advisory_xact_lock($1)', [lockNumber(schema, 'tables')]);
    await client.query(`create schema if not exists ${quoted}; ${tablesIn(quoted)}`);
  });
}

/**
 * Keeps the connection that holds the locks and hears what other processes commit. PostgreSQL releases the locks when it ends.
 * @param changed called with the name of a set; with each known set once the connection is back
 */
async function openSession(create: () => Client, channel: string, changed: (set: string) => void) {
  let closed = false;
  let client: Client | null = null;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const opened = create();
    // Without a listener an error of an idle connection would end the thread.
    opened.on('error', () => undefined);
    opened.on(
      'notification',
      guarded(({ payload = '' }) => changed(payload)),
    );
    opened.on(
      'end',
      guarded(() => {
        if (client === opened) client = null;
        again(RECONNECT_MS.least);
      }),
    );
    try {
      await opened.connect();
      await opened.query(`${KEEP_ALIVE}; listen ${opened.escapeIdentifier(channel)}`);
      client = opened;
    } catch (error) {
      await opened.end().catch(() => undefined);
      throw error;
    }
  }

  function again(pause: number): void {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(
      guarded(() =>
        connect().then(
          () => changed('library'),
          () => again(Math.min(pause * 2, RECONNECT_MS.most)),
        ),
      ),
      pause,
    );
  }

  await connect();
  return {
    query(text: string, values: unknown[]) {
      if (!client) throw new Error('The connection to the database is lost.');
      return client.query(text, values);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}

type Parts = { pool: Pool; channel: string; in: string };

/** The version of a set with its records after another version: one statement sees one moment. */
const readIn = (schema: string): string => `
  select s.version as now, r.name, r.content from ${schema}.sets s
  left join ${schema}.records r on r.set_name = s.name and r.version > $2
  where s.name = $1`;

async function commit(
  { pool, channel, in: schema }: Parts,
  set: string,
  expected: number,
  change: SetChange,
): Promise<boolean> {
  const { records, removed } = change;
  return inTransaction(pool, async (client) => {
    if (expected === 0)
      await client.query(`insert into ${schema}.sets (name, version) values ($1, 0) on conflict do nothing`, [
        set,
      ]);
    const raised = await client.query(
      `update ${schema}.sets set version = version + 1 where name = $1 and version = $2`,
      [set, expected],
    );
    if (raised.rowCount === 0) return false;
    await client.query(
      `insert into ${schema}.records (set_name, name, version, content)
       select $1, name, $2, content from unnest($3::text[], $4::bytea[]) as given (name, content)
       on conflict (set_name, name) do update set version = excluded.version, content = excluded.content`,
      [
        set,
        expected + 1,
        records.map(({ name }) => name),
        records.map(({ content }) => Buffer.from(content)),
      ],
    );
    await client.query(`delete from ${schema}.blobs where name = any($1)`, [removed]);
    await client.query('select pg_notify($1, $2)', [channel, set]);
    return true;
  });
}

/** The store of a runtime in PostgreSQL. */
const open: OpenSharedStore = async (options: PostgresOptions, changed): Promise<SharedStore> => {
  const { default: pg } = await import('pg').catch(() => {
    throw new Error('The package pg is missing. Run npm install pg.');
  });
  const { schema = 'svc_runtime', ...given } = options;
  const quoted = pg.escapeIdentifier(schema);
  const config: ClientConfig = {
    ...given,
    application_name: 'svc runtime',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    keepAlive: true,
  };
  const pool = new pg.Pool({ ...config, max: MAX_CONNECTIONS });
  pool.on('error', () => undefined);
  const channel = `svc_${createHash('sha256').update(schema).digest('hex').slice(0, 32)}`;
  const parts = { pool, channel, in: quoted };
  try {
    await createTables(pool, schema, quoted);
    const session = await openSession(() => new pg.Client(config), channel, changed);
    return {
      async read(set, since) {
        const { rows } = await pool.query(readIn(quoted), [set, since]);
        const records = rows.flatMap(({ name, content }) => (name === null ? [] : [{ name, content }]));
        return { version: Number(rows[0]?.now ?? 0), records };
      },
      commit: (set, expected, change) => commit(parts, set, expected, change),
      async putBlob(name, bytes) {
        await pool.query(
          `insert into ${quoted}.blobs (name, content) values ($1, $2) on conflict (name) do update set content = excluded.content, at = now()`,
          [name, Buffer.from(bytes)],
        );
      },
      async getBlob(name) {
        const { rows } = await pool.query(`select content from ${quoted}.blobs where name = $1`, [name]);
        return rows[0]?.content ?? null;
      },
      async listBlobs(prefix) {
        const { rows } = await pool.query(
          `select name, octet_length(content) as bytes, at from ${quoted}.blobs where name >= $1 and name < $2 order by name`,
          [prefix, after(prefix)],
        );
        return rows.map(({ name, bytes, at }) => ({ name, bytes, at: at.toISOString() }));
      },
      async removeBlobs(prefix) {
        await pool.query(`delete from ${quoted}.blobs where name >= $1 and name < $2`, [
          prefix,
          after(prefix),
        ]);
      },
      async tryLock(name) {
        const taken = await session.query('select pg_try_advisory_lock($1) as taken', [
          lockNumber(schema, name),
        ]);
        return taken.rows[0]?.taken === true;
      },
      async unlock(name) {
        await session.query('select pg_advisory_unlock($1)', [lockNumber(schema, name)]);
      },
      async close() {
        await session.close();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
};

export default open;
