import { connect, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createStores, createUnitOfWork } from '../../../src/adapters/database/stores.ts';
import { faultOf, losesConnection, openPostgres } from '../../../src/adapters/postgres/open-postgres.ts';
import { openProbes } from '../../../src/composition/open-parts.ts';
import { SettingError } from '../../../src/composition/settings.ts';
import type { BlobStore } from '../../../src/platform/blob-store.ts';
import { type Probe, runProbes } from '../../../src/platform/probe.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';
import { EMPTIER, freshDatabase } from '../../support/database.ts';
import { MARKS, PUBLISHER } from '../../support/publisher-row.ts';
import { runIn } from '../../support/run-in.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../../support/test-store.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };

async function opened(url?: string) {
  const db = await openPostgres(url ?? (await freshDatabase()), silent);
  onTestFinished(() => db.destroy());
  return db;
}

/** A proxy to a database, whose connections a test can cut and restore. */
async function cuttable(url: string) {
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  const listen = (at: number) => new Promise<void>((done) => server.listen(at, '127.0.0.1', done));
  const cut = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    });
  await listen(0);
  const { port: near } = server.address() as { port: number };
  onTestFinished(() => cut());
  const through = new URL(url);
  through.port = String(near);
  return { url: through.href, cut, fix: () => listen(near) };
}

describe('PostgreSQL', () => {
  it.each([
    ['off', true],
    ['on', false],
  ])('with read-only transactions %s, as in a replica, is ready: %s', async (readOnly, ok) => {
    const options = encodeURIComponent(`-c default_transaction_read_only=${readOnly}`);
    const url = `${await freshDatabase()}?options=${options}`;
    const blobs = { owner: async () => 'this store' } as BlobStore;
    const { database } = await openProbes(
      { dataDir: '/', databaseUrl: url, s3: null },
      await opened(url),
      blobs,
    );
    expect(await runProbes({ database: database as Probe })).toEqual([{ name: 'database', ok }]);
  });

  it('orders text by its bytes, whatever the locale of the database', async () => {
    const db = await opened();
    const { rows } = await sql<{ name: string; collation_name: string | null }>`
      select table_name || '.' || column_name as name, collation_name from information_schema.columns
      where table_schema = 'public' and data_type = 'text'`.execute(db);
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.filter(({ collation_name }) => collation_name !== 'C')).toEqual([]);
    // The default collation of this database, which the columns override, sorts lower case before upper case.
    const { rows: left } = await sql<{ less: boolean }>`select 'a' < 'B' as less`.execute(db);
    expect(left).toEqual([{ less: true }]);
  });

  it('returns int8 as a number, and throws for one that is not a safe integer', async () => {
    const db = await opened();
    const { rows } = await sql<{ n: number }>`select 9007199254740991::int8 as n`.execute(db);
    expect(rows).toEqual([{ n: 9_007_199_254_740_991 }]);
    await expect(sql`select 9007199254740992::int8 as n`.execute(db)).rejects.toThrow(RangeError);
  });

  it('gets the application name and time limits of the store', async () => {
    const db = await opened();
    const show = async (name: string) =>
      Object.values((await sql<object>`show ${sql.raw(name)}`.execute(db)).rows[0] ?? {})[0];
    expect(await show('application_name')).toBe('svc-store');
    expect(await show('statement_timeout')).toBe('30s');
    expect(await show('idle_in_transaction_session_timeout')).toBe('10s');
  });

  it('takes other time limits from the URL', async () => {
    const url = `${await freshDatabase()}?statement_timeout=50`;
    const slow = sql`select pg_sleep(5)`.execute(await opened(url));
    await expect(slow).rejects.toBeInstanceOf(UnavailableError);
  });

  it('sends only startup parameters that PgBouncer accepts', async () => {
    const sent: string[] = [];
    const server = createServer((socket) => {
      socket.once('data', (bytes) => {
        // PostgreSQL section 55.7, StartupMessage: length and version, then names and values, each with a zero byte.
        const words = bytes.subarray(8).toString().split('\0');
        sent.push(...words.filter((_word, index) => index % 2 === 0 && words[index] !== ''));
        socket.destroy();
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => new Promise<void>((done) => server.close(() => done())));
    const { port } = server.address() as { port: number };
    const url = `postgres://svc:secret@127.0.0.1:${port}/svc?statement_timeout=50`;
    await expect(openPostgres(url, silent)).rejects.toBeInstanceOf(UnavailableError);
    expect(sent.sort()).toEqual(['application_name', 'client_encoding', 'database', 'user']);
  });

  it('has its time limits in each transaction, where a pool gives it a session without them', async () => {
    const db = await opened();
    const limits = async () => {
      const { rows } = await sql<{ statement: string; idle: string }>`select
        current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`.execute(db);
      return rows[0];
    };
    await sql`discard all`.execute(db);
    expect(await limits()).toEqual({ statement: '0', idle: '0' });
    const within = await db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ statement: string }>`select
        current_setting('statement_timeout') as statement`.execute(tx);
      return rows[0];
    });
    expect(within).toEqual({ statement: '30s' });
  });

  it('gets at most 10 connections, and further queries wait', async () => {
    const db = await opened();
    const count = () =>
      sql<{ n: number }>`select count(*) as n, pg_sleep(0.1) from pg_stat_activity
        where datname = current_database() and application_name <> ${EMPTIER}
        and backend_type = 'client backend'`.execute(db);
    const counts = await Promise.all(Array.from({ length: 30 }, count));
    expect(Math.max(...counts.map(({ rows }) => rows[0]?.n ?? 0))).toBeLessThanOrEqual(10);
  });

  it('rolls back a transaction that fails', async () => {
    const db = await opened();
    const work = createUnitOfWork(db)(async (stores) => {
      await stores.publishers.create(PUBLISHER, MARKS);
      throw new Error('half way');
    });
    await expect(work).rejects.toThrow('half way');
    expect(await createStores(db).publishers.find('a')).toBeNull();
  });

  it('runs one transaction at a time, also with two connection pools', async () => {
    const url = await freshDatabase();
    const units = [createUnitOfWork(await opened(url)), createUnitOfWork(await opened(url))];
    let under = 0;
    let most = 0;
    const work = async () => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setTimeout(resolve, 10));
      under -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, (_, n) => units[n % 2]?.(work)));
    expect(most).toBe(1);
  });

  it('can be read by many during a transaction', async () => {
    const db = await opened();
    const stores = createStores(db);
    await createUnitOfWork(db)(async (within) => {
      await within.publishers.create(PUBLISHER, MARKS);
      const seen = await Promise.all(Array.from({ length: 30 }, () => stores.publishers.find('a')));
      expect(new Set(seen)).toEqual(new Set([null]));
    });
  });

  it('refuses a database whose encoding is not UTF-8', async () => {
    const url = await freshDatabase();
    const name = 'svc_latin';
    const make = `create database ${name} template template0 encoding 'LATIN1' locale_provider libc locale 'C'`;
    await runIn(url, make);
    onTestFinished(() => runIn(url, `drop database ${name} with (force)`));
    const other = new URL(url);
    other.pathname = `/${name}`;
    await expect(openPostgres(other.href, silent)).rejects.toThrow(
      'its encoding is LATIN1, and must be UTF8',
    );
  });
});

describe('PostgreSQL that becomes unavailable', () => {
  it('works again once it is back, without a restart of the store', async () => {
    const way = await cuttable(await freshDatabase());
    const { publishers } = createStores(await opened(way.url));
    await publishers.create(PUBLISHER, MARKS);
    await way.cut();
    for (let again = 0; again < 3; again += 1) {
      await expect(publishers.find('a')).rejects.toBeInstanceOf(UnavailableError);
    }
    await way.fix();
    expect(await publishers.find('a')).toEqual(PUBLISHER);
  });

  it('rolls back the current transaction, and does not block the next ones', async () => {
    const url = await freshDatabase();
    const way = await cuttable(url);
    const unit = createUnitOfWork(await opened(way.url));
    const cut = unit(async (stores) => {
      await stores.publishers.create(PUBLISHER, MARKS);
      await way.cut();
      await stores.publishers.find('a');
    });
    await expect(cut).rejects.toBeInstanceOf(UnavailableError);
    await way.fix();
    expect(
      await unit(async (stores) => [
        await stores.publishers.find('a'),
        await stores.publishers.create(PUBLISHER, MARKS),
      ]),
    ).toEqual([null, true]);
    expect(await createUnitOfWork(await opened(url))((stores) => stores.publishers.find('a'))).toEqual(
      PUBLISHER,
    );
  });

  it('does not crash the process when all connections are terminated', async () => {
    const url = await freshDatabase();
    const lines: string[] = [];
    const log = { ...silent, warn: (_fields: object, message: string) => void lines.push(message) };
    const db = await openPostgres(url, log);
    onTestFinished(() => db.destroy());
    const { publishers } = createStores(db);
    await Promise.all(Array.from({ length: 5 }, () => publishers.find('a')));
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    await runIn(url, kill);
    await expect.poll(() => lines.length).toBeGreaterThan(0);
    const found = () => publishers.find('a').catch((error: unknown) => error);
    await expect.poll(found).toBeNull();
    const busy = sql`select pg_sleep(5)`.execute(db);
    const refused = expect(busy).rejects.toBeInstanceOf(UnavailableError);
    await expect
      .poll(
        async () =>
          (
            await sql`select 1 from pg_stat_activity where query like 'select pg_sleep(5)%' and state = 'active' and datname = current_database()`.execute(
              db,
            )
          ).rows.length,
      )
      .toBe(1);
    await runIn(url, kill);
    await refused;
    await expect.poll(found).toBeNull();
  });

  it('makes requests that need it fail with 503 and Retry-After', async () => {
    const way = await cuttable(await freshDatabase());
    const store = await openTestStore({ environment: { DATABASE_URL: way.url } });
    const token = await store.publisherToken();
    expect((await store.publish(token)).status).toBe(201);
    await way.cut();
    const later = { httpStatus: 503, code: 'unavailable', retryAfter: 10 };
    const needing = [
      () => store.publish(token, { version: '1.1.0' }),
      () => store.publish(ADMIN_TOKEN, { version: '1.1.0' }),
      () => store.decide('approve', '1.0.0'),
      () => store.call('GET', '/api/apps/catalog'),
      () => store.call('GET', '/api/apps/com.example.notes'),
    ];
    for (const ask of needing) {
      const answer = await ask();
      expect(answer.headers.get('retry-after')).toBe('10');
      expect(await bodyOf(answer)).toMatchObject(later);
    }
    expect(await store.filesUnder('incoming')).toEqual([]);
    expect((await store.call('GET', '/api/apps/public-key')).status).toBe(200);
    await way.fix();
    expect(await bodyOf(store.decide('approve', '1.0.0'))).toMatchObject({ status: 'published' });
    expect((await store.publish(token, { version: '1.1.0' })).status).toBe(201);
  });

  it('stops the start of a store with a one-line message without the password', async () => {
    const way = await cuttable('postgres://svc:hunter22@127.0.0.1:1/svc');
    await way.cut();
    const open = openTestStore({ environment: { DATABASE_URL: way.url } });
    await expect(open).rejects.toBeInstanceOf(SettingError);
    await expect(open).rejects.toThrow(
      /^The database in DATABASE_URL cannot be used: PostgreSQL: [^\n]+REFUSED/,
    );
    await expect(open).rejects.not.toThrow(/hunter22/);
  });

  it('is reported as unavailable when no server listens, without the password', async () => {
    const way = await cuttable('postgres://svc:hunter22@127.0.0.1:1/svc');
    await way.cut();
    const open = openPostgres(way.url, silent);
    await expect(open).rejects.toBeInstanceOf(UnavailableError);
    await expect(open).rejects.toThrow(/^PostgreSQL: connect ECONNREFUSED/);
    await expect(open).rejects.not.toThrow(/hunter22/);
  });
});

function saidByServer(code: string): Error {
  const error = new pg.DatabaseError('said by the server', 1, 'error');
  error.code = code;
  return error;
}

describe('faultOf', () => {
  it.each([
    ['08006', 'connection failure'],
    ['40001', 'serialisation failure'],
    ['40P01', 'deadlock'],
    ['25006', 'read only, like a server that became a standby'],
    ['25P03', 'idle in a transaction for too long'],
    ['53300', 'too many connections'],
    ['55P03', 'lock not available'],
    ['57014', 'statement timeout'],
    ['57P01', 'shutting down'],
    ['57P03', 'starting up'],
  ])('reports the temporary error %s (%s) as unavailable', (code) => {
    const error = saidByServer(code);
    expect(faultOf(error)).toBeInstanceOf(UnavailableError);
    expect((faultOf(error) as Error).cause).toBe(error);
    expect(losesConnection(error)).toBe(false);
  });

  it.each(['23505', '42601', '22021', '25P02', '54000', 'XX000'])(
    'returns %s, an error of the store itself, unchanged',
    (code) => {
      const error = saidByServer(code);
      expect(faultOf(error)).toBe(error);
    },
  );

  it('reports a lost connection as unavailable, and the connection as unusable', () => {
    const error = new Error('Connection terminated unexpectedly');
    expect(faultOf(error)).toBeInstanceOf(UnavailableError);
    expect(losesConnection(error)).toBe(true);
  });

  it('returns a JavaScript error unchanged', () => {
    const error = new TypeError('undefined is not a function');
    expect(faultOf(error)).toBe(error);
  });

  it('has a one-line message when no address of the server accepts a connection', () => {
    const error = Object.assign(new AggregateError([new Error('one'), new Error('two')]), {
      code: 'ECONNREFUSED',
    });
    expect((faultOf(error) as Error).message).toBe('PostgreSQL: ECONNREFUSED');
  });
});
