import { DatabaseSync } from 'node:sqlite';
import {
  createOwnTables,
  LIBRARY_VERSION,
  migrateTables,
  requireKnownVersion,
} from '../library/library-database.ts';
import { hashOf } from '../platform/json-hash.ts';
import type { StoredRecord } from './shared-store.ts';

/** A row of the library as a record: its table, its key, and its values; null once it is deleted. */
type RowRecord = { table: string; key: unknown[]; row: Record<string, unknown> | null };

/** The record with the version of the schema. */
const SCHEMA_RECORD = 'schema';

const textOf = (content: Uint8Array): string => Buffer.from(content).toString('utf8');

/** The version of the schema of stored records; null for none. @throws for a later one than this runtime knows */
function versionIn(records: readonly StoredRecord[]): number | null {
  const found = records.find(({ name }) => name === SCHEMA_RECORD);
  if (!found) return null;
  const version = Number(textOf(found.content));
  requireKnownVersion(version);
  return version;
}

type Table = { name: string; columns: string[]; key: string[] };

function tablesOf(database: DatabaseSync): Map<string, Table> {
  const names = database.prepare("select name from main.sqlite_schema where type = 'table'").all();
  const described = names.map(({ name }) => {
    const columns = database.prepare('select name, pk from pragma_table_info(?)').all(String(name));
    const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
    const namesIn = (rows: typeof columns) => rows.map((column) => String(column.name));
    return { name: String(name), columns: namesIn(columns), key: namesIn(key) };
  });
  return new Map(described.map((table) => [table.name, table]));
}

/** Lists in a table of the process which rows change. */
function followChanges(database: DatabaseSync, tables: Iterable<Table>): void {
  database.exec(
    'create temp table changed (name text, key text, primary key (name, key)) strict, without rowid',
  );
  for (const { name, key } of tables) {
    const add = (row: 'old' | 'new') =>
      `insert or ignore into changed values ('${name}', json_array(${key.map((one) => `${row}.${one}`).join(', ')}));`;
    const on = (event: string, body: string) =>
      database.exec(`create temp trigger ${event}_${name} after ${event} on main.${name} begin ${body} end`);
    on('insert', add('new'));
    on('update', add('old') + add('new'));
    on('delete', add('old'));
  }
}

/** How rows are read and written, by table. The statements are compiled once. */
function rowAccess(database: DatabaseSync, { name, columns, key }: Table) {
  const where = key.map((one) => `${one} = ?`).join(' and ');
  return {
    read: database.prepare(`select * from main.${name} where ${where}`),
    all: database.prepare(`select * from main.${name}`),
    remove: database.prepare(`delete from main.${name} where ${where}`),
    write: database.prepare(
      `insert or replace into main.${name} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    ),
  };
}

/** A record of a row: named by its table and key, whatever their length. */
function recordOf({ table, key, row }: RowRecord): StoredRecord {
  const content = Buffer.from(JSON.stringify({ table, key, row } satisfies RowRecord));
  return { name: hashOf(JSON.stringify([table, key])), content };
}

/** Opens the tables of a library in memory, with stored rows. @throws when a later runtime wrote them */
export function openReplica(records: readonly StoredRecord[]) {
  const stored = versionIn(records);
  const database = new DatabaseSync(':memory:');
  /** The hashes of what is stored, by the names of records. */
  const known = new Map<string, string>();
  let tables = new Map<string, Table>();
  let access = new Map<string, ReturnType<typeof rowAccess>>();

  function describe(): void {
    tables = tablesOf(database);
    access = new Map(Array.from(tables, ([name, table]) => [name, rowAccess(database, table)]));
  }

  function put({ table, key, row }: RowRecord): void {
    const rows = access.get(table);
    const columns = tables.get(table)?.columns ?? [];
    if (!row) rows?.remove.run(...(key as string[]));
    else rows?.write.run(...columns.map((column) => (row[column] ?? null) as string | number | null));
  }

  /** Writes stored rows, in any order of their tables. */
  function write(changed: readonly StoredRecord[]): void {
    database.exec('pragma foreign_keys = off; begin immediate');
    for (const { name, content } of changed) {
      if (name !== SCHEMA_RECORD) put(JSON.parse(textOf(content)) as RowRecord);
      known.set(name, hashOf(content));
    }
    database.exec('commit; pragma foreign_keys = on');
  }

  const schema: StoredRecord = { name: SCHEMA_RECORD, content: Buffer.from(String(LIBRARY_VERSION)) };
  const isStored = ({ name, content }: StoredRecord): boolean => known.get(name) === hashOf(content);

  /** What the rows are now, where they are stored as an earlier runtime had them. */
  function upgraded(): StoredRecord[] {
    const rows = Array.from(access, ([table, { all }]) =>
      all
        .all()
        .map((row) =>
          recordOf({ table, key: (tables.get(table)?.key ?? []).map((column) => row[column]), row }),
        ),
    ).flat();
    const names = new Set(rows.map(({ name }) => name));
    const gone = records.filter(({ name }) => name !== SCHEMA_RECORD && !names.has(name));
    const deleted = gone.map(({ content }) => {
      const { table, key } = JSON.parse(textOf(content)) as RowRecord;
      return recordOf({ table, key, row: null });
    });
    return [schema, ...rows, ...deleted].filter((record) => !isStored(record));
  }

  const from = stored ?? LIBRARY_VERSION;
  // A library that is shared is newer than the migration that reads bundles.
  migrateTables(database, { from: 0, to: from }, '');
  describe();
  write(records);
  database.exec('begin immediate');
  migrateTables(database, { from, to: LIBRARY_VERSION }, '');
  database.exec('commit');
  describe();
  createOwnTables(database);
  followChanges(database, tables.values());

  return {
    database,
    /** The records to write first: those of an empty or an earlier library. */
    first: stored === LIBRARY_VERSION ? [] : upgraded(),
    /** Takes over what is stored. @throws when a later runtime wrote it */
    apply(changed: readonly StoredRecord[]): void {
      versionIn(changed);
      write(changed);
      database.exec('delete from changed');
    },
    /** The rows that a transaction has changed so far, as records. */
    changes(): StoredRecord[] {
      const rows = database.prepare('select name, key from changed').all();
      return rows
        .map(({ name, key }) => {
          const values = JSON.parse(String(key)) as string[];
          const row = access.get(String(name))?.read.get(...values) ?? null;
          return recordOf({ table: String(name), key: values, row });
        })
        .filter((record) => !isStored(record));
    },
    /** Ends the transaction, whose records are stored. */
    keep(stored: readonly StoredRecord[]): void {
      database.exec('delete from changed; commit');
      for (const { name, content } of stored) known.set(name, hashOf(content));
    },
  };
}
