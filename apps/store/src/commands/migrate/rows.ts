import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/schema.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** Rows sent or fetched at a time. */
const BATCH = 200;

/** The tables of a store on SQLite, each after those that its rows refer to. */
function tablesOf(source: DatabaseSync): string[] {
  const found = source
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")
    .all() as { name: string }[];
  const left = found.map(({ name }) => name).filter((name) => !name.startsWith('kysely_'));
  const ordered: string[] = [];
  while (left.length > 0) {
    const next = left.find((table) =>
      referredBy(source, table).every((other) => other === table || ordered.includes(other)),
    );
    if (next === undefined) throw new Error(`the tables ${left.join(', ')} refer to each other`);
    ordered.push(next);
    left.splice(left.indexOf(next), 1);
  }
  return ordered;
}

const referredBy = (source: DatabaseSync, table: string): string[] =>
  (source.prepare(`pragma foreign_key_list("${table}")`).all() as { table: string }[]).map(
    (key) => key.table,
  );

const rowsOf = (source: DatabaseSync, table: string): Iterable<Row> =>
  source.prepare(`select * from "${table}"`).iterate() as Iterable<Row>;

/** The rows of a table of PostgreSQL, a few at a time. Run it in a transaction. */
async function* rowsIn(target: Database, table: string): AsyncGenerator<Row> {
  await sql`declare moved no scroll cursor for select * from ${sql.table(table)}`.execute(target);
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(BATCH)} from moved`.execute(target);
    if (rows.length === 0) break;
    yield* rows;
  }
  await sql`close moved`.execute(target);
}

async function insert(target: Database, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`);
  // The numbers that rows have are kept, also where PostgreSQL gives them.
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    overriding system value values ${sql.join(values)}`.execute(target);
}

/** Columns that PostgreSQL numbers go on after the last number that was moved. */
async function continueNumbers(target: Database): Promise<void> {
  const { rows } = await sql<{ table_name: string; column_name: string }>`
    select table_name, column_name from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`.execute(target);
  for (const { table_name: table, column_name: column } of rows) {
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}), greatest(coalesce(max(${sql.ref(column)}), 1), 1),
      max(${sql.ref(column)}) is not null) from ${sql.table(table)}`.execute(target);
  }
}

/** Copies all rows. Run it in a transaction: killed at any moment, it leaves none. */
export async function copyRows(source: DatabaseSync, target: Database): Promise<void> {
  for (const table of tablesOf(source)) {
    let batch: Row[] = [];
    for (const row of rowsOf(source, table)) {
      batch.push(row);
      if (batch.length < BATCH) continue;
      await insert(target, table, batch);
      batch = [];
    }
    if (batch.length > 0) await insert(target, table, batch);
  }
  await continueNumbers(target);
}

const BITS = 256n;

/** How many rows there are, and the sum of their hashes: the same for the same rows in any order, and for no others. */
function tally() {
  let [count, sum] = [0, 0n];
  return {
    add(row: Row): void {
      const text = JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
      count += 1;
      sum = BigInt.asUintN(
        Number(BITS),
        sum + BigInt(`0x${createHash('sha256').update(text).digest('hex')}`),
      );
    },
    result: () => ({ count, sum: sum.toString(16) }),
  };
}

/** What a comparison found: how many rows are the same, the tables that differ, and whether the target has no row. */
export type Comparison = { rows: number; different: string[]; isEmpty: boolean };

async function compareTable(source: DatabaseSync, target: Database, table: string) {
  const [here, there] = [tally(), tally()];
  for (const row of rowsOf(source, table)) here.add(row);
  for await (const row of rowsIn(target, table)) there.add(row);
  return { table, here: here.result(), there: there.result() };
}

/** Compares every row of two databases. */
export const compareRows = (source: DatabaseSync, target: Database): Promise<Comparison> =>
  target.transaction().execute(async (tx) => {
    const tables: Awaited<ReturnType<typeof compareTable>>[] = [];
    for (const table of tablesOf(source)) tables.push(await compareTable(source, tx, table));
    const isSame = ({ here, there }: (typeof tables)[number]) =>
      here.count === there.count && here.sum === there.sum;
    return {
      rows: tables.filter(isSame).reduce((sum, { here }) => sum + here.count, 0),
      different: tables
        .filter((table) => !isSame(table))
        .map(({ table, here, there }) => `${table} (${here.count} rows here, ${there.count} there)`),
      isEmpty: tables.every(({ there }) => there.count === 0),
    };
  });

/** Opens the database of a store for reading alone. */
export const openForReading = (file: string): DatabaseSync => new DatabaseSync(file, { readOnly: true });
