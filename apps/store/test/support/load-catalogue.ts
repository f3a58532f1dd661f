import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { sql } from 'kysely';
import pg from 'pg';
import { migrate } from '../../src/adapters/database/migrations.ts';
import { openPostgres } from '../../src/adapters/postgres/open-postgres.ts';
import { openSqlite } from '../../src/adapters/sqlite/open-sqlite.ts';
import { catalogueRows, type Rows } from './catalogue-rows.ts';

const SILENT = { info() {}, warn() {}, error() {} };

/** Rows per statement of PostgreSQL. */
const ROWS_AT_ONCE = 5_000;

/** Fills a new SQLite file with a catalogue, without durability. */
export async function loadIntoSqlite(file: string, size: number): Promise<void> {
  const db = openSqlite(file);
  await migrate(db);
  await db.destroy();
  const database = new DatabaseSync(file);
  database.exec(
    'pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off; pragma cache_size = -500000',
  );
  database.exec('begin');
  for (const { table, columns, rows } of catalogueRows(size)) {
    const values = columns.map(() => '?').join(', ');
    const insert = database.prepare(
      `insert or ignore into ${table} (${columns.join(', ')}) values (${values})`,
    );
    for (const row of rows) insert.run(...(row as SQLInputValue[]));
  }
  database.exec('commit');
  database.close();
}

function* inParts({ rows }: Rows): Generator<unknown[][]> {
  let part: unknown[][] = [];
  for (const row of rows) {
    part.push(row);
    if (part.length < ROWS_AT_ONCE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** Rows that the store adds later take the next number after those that were given here. */
async function countOn(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query(`select pg_get_serial_sequence('${table}', 'id') as name`);
  if (rows[0].name === null) return;
  await client.query(`select setval('${rows[0].name}', coalesce((select max(id) from ${table}), 1))`);
}

/** Fills an empty PostgreSQL database with a catalogue. */
export async function loadIntoPostgres(url: string, size: number): Promise<void> {
  const db = await openPostgres(url, SILENT);
  await migrate(db);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set session_replication_role = replica');
  for (const rows of catalogueRows(size)) {
    const columns = rows.columns.join(', ');
    const insert = `insert into ${rows.table} (${columns}) select ${columns} from json_populate_recordset(null::${rows.table}, $1) on conflict do nothing`;
    for (const part of inParts(rows)) {
      const records = part.map((row) => Object.fromEntries(rows.columns.map((name, n) => [name, row[n]])));
      await client.query(insert, [JSON.stringify(records)]);
    }
    if (rows.columns.includes('id')) await countOn(client, rows.table);
  }
  await client.end();
  await sql`vacuum analyze`.execute(db);
  await db.destroy();
}
