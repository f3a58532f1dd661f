import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import type { Database } from '../../../platform/database/schema.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** Rows sent or fetched at a time. */
const BATCH = 200;

/** The tables of a store on SQLite, each after the tables that its rows refer to. */
function tablesOf(source: DatabaseSync): string[] {
  const tables = source
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")
    .all() as { name: string }[];
  const remaining = tables.map(({ name }) => name).filter((name) => !name.startsWith('kysely_'));
  const ordered: string[] = [];
  while (remaining.length > 0) {
    const next = remaining.find((table) =>
      referencedTables(source, table).every((other) => other === table || ordered.includes(other)),
    );
    if (next === undefined) throw new Error(`the tables ${remaining.join(', ')} refer to each other`);
    ordered.push(next);
    remaining.splice(remaining.indexOf(next), 1);
  }
  return ordered;
}

const referencedTables = (source: DatabaseSync, table: string): string[] =>
  (source.prepare(`pragma foreign_key_list("${table}")`).all() as { table: string }[]).map(
    (key) => key.table,
  );

const rowsOf = (source: DatabaseSync, table: string): Iterable<Row> =>
  source.prepare(`select * from "${table}"`).iterate() as Iterable<Row>;

/** Reads the rows of a table of PostgreSQL in batches. Run it in a transaction. */
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
  // Identity columns keep their numbers too.
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    overriding system value values ${sql.join(values)}`.execute(target);
}

/** Sets the sequence of each identity column to the last number that was copied. */
async function continueNumbers(target: Database): Promise<void> {
  const { rows } = await sql<{ table_name: string; column_name: string }>`
    select table_name, column_name from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`.execute(target);
  for (const { table_name: table, column_name: column } of rows) {
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}), greatest(coalesce(max(${sql.ref(column)}), 1), 1),
      max(${sql.ref(column)}) is not null) from ${sql.table(table)}`.execute(target);
  }
}

/** Copies all rows. Run it in a transaction, so that an interrupted copy leaves no rows. */
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

/** Counts rows and sums their hashes. Only the same rows, in any order, have the same result. */
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

/** The result of a comparison: how many rows are the same, the tables that differ, and whether the target has no row. */
export type Comparison = { rows: number; different: string[]; isEmpty: boolean };

async function compareTable(source: DatabaseSync, target: Database, table: string) {
  const [here, there] = [tally(), tally()];
  for (const row of rowsOf(source, table)) here.add(row);
  for await (const row of rowsIn(target, table)) there.add(row);
  return { table, here: here.result(), there: there.result() };
}

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

export const openForReading = (file: string): DatabaseSync => new DatabaseSync(file, { readOnly: true });
