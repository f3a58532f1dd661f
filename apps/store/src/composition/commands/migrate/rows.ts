import { createHash } from 'node:crypto';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { sql } from 'kysely';
import type { Database } from '../../../platform/database/schema.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** Rows sent or fetched at a time. */
const BATCH = 200;

/** The rows of a database, to read them from it or to write them into it, in a transaction of the caller. */
export type Rows = {
  of(table: string): AsyncIterable<Row> | Iterable<Row>;
  insert(table: string, rows: readonly Row[]): Promise<void>;
  /** What remains after the last row. */
  finish(): Promise<void>;
};

/**
 * The tables of a store, each after the tables that its rows refer to.
 * @param schema a store on SQLite: the tables are the same in PostgreSQL
 */
export function tablesOf(schema: DatabaseSync): string[] {
  const tables = schema
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")
    .all() as { name: string }[];
  const remaining = tables.map(({ name }) => name).filter((name) => !name.startsWith('kysely_'));
  const ordered: string[] = [];
  while (remaining.length > 0) {
    const next = remaining.find((table) =>
      referencedTables(schema, table).every((other) => other === table || ordered.includes(other)),
    );
    if (next === undefined) throw new Error(`the tables ${remaining.join(', ')} refer to each other`);
    ordered.push(next);
    remaining.splice(remaining.indexOf(next), 1);
  }
  return ordered;
}

const referencedTables = (schema: DatabaseSync, table: string): string[] =>
  (schema.prepare(`pragma foreign_key_list("${table}")`).all() as { table: string }[]).map(
    (key) => key.table,
  );

/** The rows of a store on SQLite. */
export function sqliteRows(db: DatabaseSync): Rows {
  const statements = new Map<string, StatementSync>();
  const statementFor = (table: string, columns: readonly string[]) => {
    const text = `insert into "${table}" (${columns.map((column) => `"${column}"`).join(', ')})
      values (${columns.map(() => '?').join(', ')})`;
    const known = statements.get(text) ?? db.prepare(text);
    statements.set(text, known);
    return known;
  };
  return {
    of: (table) => db.prepare(`select * from "${table}"`).iterate() as Iterable<Row>,
    async insert(table, rows) {
      const columns = Object.keys(rows[0] ?? {});
      const statement = statementFor(table, columns);
      for (const row of rows) statement.run(...columns.map((column) => row[column] ?? null));
    },
    // Numbers continue after the greatest row.
    finish: async () => {},
  };
}

/** The rows of a store on PostgreSQL. @param tx a transaction */
const postgresRows = (tx: Database): Rows => ({
  async *of(table) {
    await sql`declare moved no scroll cursor for select * from ${sql.table(table)}`.execute(tx);
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.lit(BATCH)} from moved`.execute(tx);
      if (rows.length === 0) break;
      yield* rows;
    }
    await sql`close moved`.execute(tx);
  },
  async insert(table, rows) {
    const columns = Object.keys(rows[0] ?? {});
    const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`);
    // Identity columns keep their numbers too.
    await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
      overriding system value values ${sql.join(values)}`.execute(tx);
  },
  /** Sets the sequence of each identity column to the last number that was copied. */
  async finish() {
    const { rows } = await sql<{ table_name: string; column_name: string }>`
      select table_name, column_name from information_schema.columns
      where table_schema = current_schema() and is_identity = 'YES'`.execute(tx);
    for (const { table_name: table, column_name: column } of rows) {
      await sql`select setval(pg_get_serial_sequence(${table}, ${column}), greatest(coalesce(max(${sql.ref(column)}), 1), 1),
        max(${sql.ref(column)}) is not null) from ${sql.table(table)}`.execute(tx);
    }
  },
});

/**
 * Copies all rows from one database to the other, in either direction. Run it in a transaction of the second one, so that an interrupted
 * copy leaves no rows.
 */
export async function copyRows(tables: readonly string[], from: Rows, to: Rows): Promise<void> {
  for (const table of tables) {
    let batch: Row[] = [];
    for await (const row of from.of(table)) {
      batch.push(row);
      if (batch.length < BATCH) continue;
      await to.insert(table, batch);
      batch = [];
    }
    if (batch.length > 0) await to.insert(table, batch);
  }
  await to.finish();
}

const BITS = 256n;

/** Counts rows and sums their hashes. Only the same rows, in any order, have the same result. */
async function tally(rows: AsyncIterable<Row> | Iterable<Row>) {
  let [count, sum] = [0, 0n];
  for await (const row of rows) {
    const text = JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
    count += 1;
    sum = BigInt.asUintN(Number(BITS), sum + BigInt(`0x${createHash('sha256').update(text).digest('hex')}`));
  }
  return { count, sum: sum.toString(16) };
}

/** The result of a comparison: how many rows are the same, the tables that differ, and whether the target has no row. */
export type Comparison = { rows: number; different: string[]; isEmpty: boolean };

/** Compares all rows of two databases. Run it in a transaction of each that is PostgreSQL. */
export async function compareRows(tables: readonly string[], here: Rows, there: Rows): Promise<Comparison> {
  const compared: { table: string; here: number; there: number; isSame: boolean }[] = [];
  for (const table of tables) {
    const [one, other] = [await tally(here.of(table)), await tally(there.of(table))];
    const isSame = one.count === other.count && one.sum === other.sum;
    compared.push({ table, here: one.count, there: other.count, isSame });
  }
  return {
    rows: compared.filter(({ isSame }) => isSame).reduce((sum, one) => sum + one.here, 0),
    different: compared
      .filter(({ isSame }) => !isSame)
      .map((one) => `${one.table} (${one.here} rows here, ${one.there} there)`),
    isEmpty: compared.every(({ there: count }) => count === 0),
  };
}

/**
 * Copies rows into a database without any, and compares them; without a change where both have the same rows already.
 * @returns how many rows there are
 * @throws Error when the second one has other rows; its transaction must then be rolled back
 */
export async function moveRows(tables: readonly string[], from: Rows, to: Rows): Promise<number> {
  const before = await compareRows(tables, from, to);
  if (before.different.length === 0) return before.rows;
  if (!before.isEmpty)
    throw new Error(`the target database contains other rows: ${before.different.join(', ')}`);
  await copyRows(tables, from, to);
  const after = await compareRows(tables, from, to);
  if (after.different.length > 0) throw new Error(`these tables differ: ${after.different.join(', ')}`);
  return after.rows;
}

/** Runs work in a transaction of a store on SQLite, which is rolled back when it fails. */
export async function inSqlite<T>(db: DatabaseSync, work: (rows: Rows) => Promise<T>): Promise<T> {
  db.exec('begin immediate');
  try {
    const result = await work(sqliteRows(db));
    db.exec('commit');
    return result;
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
}

/** The server must not end the transaction while the other database is read. */
const withoutIdleLimit = (tx: Database) => sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);

/** Runs work in a transaction of a store on PostgreSQL, which is rolled back when it fails. */
export const inPostgres = <T>(db: Database, work: (rows: Rows) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (tx) => {
    await withoutIdleLimit(tx);
    return work(postgresRows(tx));
  });

/**
 * The same for reading a store that may be running, in one snapshot: no writer waits, as the transaction does not take the lock of writers.
 */
export const inSnapshot = <T>(db: Database, work: (rows: Rows) => Promise<T>): Promise<T> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await withoutIdleLimit(tx);
      return work(postgresRows(tx));
    });

export const openForReading = (file: string): DatabaseSync => new DatabaseSync(file, { readOnly: true });
