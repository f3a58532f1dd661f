import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type pg from 'pg';
import { GROWING } from './fill.ts';
import type { Recorded } from './record.ts';

/** The plan of a query: how it reads a growing table, and approximately how many rows. */
export type Reading = Pick<Recorded, 'by' | 'sql'> & { how: string; rows: number };

/** Rows of each index by how many of its first columns are bound: with none, all rows; with one, those of one value, and so on. */
type Statistics = ReadonlyMap<string, readonly number[]>;

type Stat1 = { tbl: string; idx: string | null; stat: string };

const numbersIn = (stat: string): number[] => stat.split(' ').map(Number).filter(Number.isFinite);

function statisticsOf(database: DatabaseSync): Statistics {
  const rows = database.prepare('select tbl, idx, stat from sqlite_stat1').all() as Stat1[];
  return new Map(rows.map(({ tbl, idx, stat }) => [idx ?? tbl, numbersIn(stat)]));
}

/** The tables of a statement by their aliases. */
const aliasesOf = (sql: string): Map<string, string> =>
  new Map(
    [...sql.matchAll(/\b(?:from|join|update)\s+"?(\w+)"?(?:\s+(?:as\s+)?"?(\w+)"?)?/gi)].map(
      ([, table = '', alias]) => [alias ?? table, table],
    ),
  );

/** Number of rows of a table, by its statistics. */
const sizeOf = (table: string, statistics: Statistics): number =>
  Math.max(0, ...[...statistics].flatMap(([index, [rows = 0]]) => (index.includes(table) ? [rows] : [])));

/** Approximately how many rows a line of SQLite's plan reads; 0 for tables that do not grow. */
function rowsOf(detail: string, aliases: Map<string, string>, statistics: Statistics): number {
  const [, verb, name = ''] = /^(SCAN|SEARCH) (\w+)/.exec(detail) ?? [];
  const table = GROWING.includes(name) ? name : (aliases.get(name) ?? '');
  if (!verb || !GROWING.includes(table)) return 0;
  if (detail.includes('AUTOMATIC')) return Number.POSITIVE_INFINITY;
  const index = /INDEX (\w+)/.exec(detail)?.[1] ?? table;
  const stat = statistics.get(index) ?? [sizeOf(table, statistics)];
  const known = verb === 'SCAN' ? 0 : (detail.match(/\w=\?/g) ?? []).length;
  // A range reads its matches; the plan does not say how many they are.
  if (verb === 'SEARCH' && (known === 0 || detail.includes('INTEGER PRIMARY KEY'))) return 1;
  return stat[known] ?? 1;
}

/** How SQLite would run queries with the current statistics. */
const plansOf = (database: DatabaseSync, queries: readonly Recorded[]) =>
  queries.map(({ by, sql, parameters }) => ({
    by,
    sql,
    details: database
      .prepare(`explain query plan ${sql}`)
      .all(...(parameters as SQLInputValue[]))
      .map((row) => String(row.detail)),
  }));

/**
 * How SQLite reads growing tables: without statistics, as in a new store, and with them, as after `pragma optimize`.
 * @param database is analysed
 */
export function explainOnSqlite(database: DatabaseSync, queries: readonly Recorded[]): Reading[] {
  const without = plansOf(database, queries);
  database.exec('analyze');
  const statistics = statisticsOf(database);
  return [...without, ...plansOf(database, queries)].flatMap(({ by, sql, details }) => {
    const aliases = aliasesOf(sql);
    return details.map((how) => ({ by, sql, how, rows: rowsOf(how, aliases, statistics) }));
  });
}

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
};

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const readBy = (node: PlanNode): number =>
  (node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)) *
  node['Actual Loops'];

/** How PostgreSQL reads growing tables. Runs each query and rolls it back. Skips inserts of existing rows. */
export async function explainOnPostgres(client: pg.Client, queries: readonly Recorded[]): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (const { by, sql, parameters } of queries.filter(({ sql }) => !/^\s*insert/i.test(sql))) {
    await client.query('begin');
    const explained = await client
      .query(`explain (analyze, timing off, format json) ${sql}`, parameters)
      .finally(() => client.query('rollback'));
    const [{ Plan }] = explained.rows[0]['QUERY PLAN'] as [{ Plan: PlanNode }];
    for (const node of nodesOf(Plan)) {
      if (!node['Node Type'].includes('Scan') || !GROWING.includes(node['Relation Name'] ?? '')) continue;
      const how = `${node['Node Type']} of ${node['Relation Name']} ${node['Index Name'] ?? ''}`.trim();
      readings.push({ by, sql, how, rows: readBy(node) });
    }
  }
  return readings;
}
