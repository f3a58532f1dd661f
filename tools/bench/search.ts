import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { FAST_POSTGRES, startPostgres } from '@svc/testkit/postgres-server';
import { loadIntoPostgres, loadIntoSqlite } from '../../apps/store/test/support/load-catalogue.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, median, ROOT } from './lib/processes.ts';
import type { Reading } from './lib/search-reader.ts';

const SIZES = [1_000, 100_000, 1_000_000] as const;
const ROUNDS = 3;

/** Measurements for one size: medians over the rounds. */
type Of = (size: (typeof SIZES)[number], pick: (reading: Reading) => number) => number;

/** A new process per measurement, so that none has the data of another in memory. */
const read = (address: string): Reading =>
  JSON.parse(
    execFileSync(process.execPath, [join(ROOT, 'tools/bench/lib/search-reader.ts'), address], {
      encoding: 'utf8',
    }),
  );

/** Alternates reading catalogues of all sizes. @param addresses database URLs, in the order of the sizes */
function readAll(addresses: readonly string[]): Of {
  const rounds = Array.from({ length: ROUNDS }, () => addresses.map(read));
  return (size, pick) => median(rounds.map((readings) => pick(readings[SIZES.indexOf(size)] as Reading)));
}

const perSize = (of: Of, pick: (reading: Reading) => number, digits: number): string =>
  SIZES.map((size) => of(size, pick).toFixed(digits)).join(', ');

function figures(database: string, of: Of): Figure[] {
  const ratio = (pick: (reading: Reading) => number) => of(1_000_000, pick) / of(1_000, pick);
  const on = `on ${database}, of 1,000, 100,000 and 1,000,000 apps`;
  return [
    {
      name: `p99 of narrow and broad searches, query to bytes, ${on}; at 100,000`,
      measured: `p99 ${perSize(of, ({ all }) => all.p99, 1)} ms, p50 ${perSize(of, ({ all }) => all.p50, 1)} ms`,
      value: of(100_000, ({ all }) => all.p99),
      unit: ' ms',
      bound: { most: 25 },
    },
    {
      name: `Searches for the name of an app ${on}; the last against the first`,
      measured: `p50 ${perSize(of, ({ selective }) => selective.p50, 2)} ms, p99 ${perSize(of, ({ selective }) => selective.p99, 1)} ms`,
      value: ratio(({ selective }) => selective.p50),
      unit: ' times',
      bound: { most: 5 },
    },
    {
      name: `Fiftieth page of 100 apps against the first ${on}; of a million`,
      measured: `first ${perSize(of, ({ firstPage }) => firstPage, 1)} ms, last ${perSize(of, ({ deepPage }) => deepPage, 1)} ms`,
      value: of(1_000_000, ({ deepPage }) => deepPage) / of(1_000_000, ({ firstPage }) => firstPage),
      unit: ' times',
      bound: { most: 2 },
    },
    {
      name: `Memory of a process that searches ${on}; the last minus the first`,
      measured: `${perSize(of, ({ memoryMb }) => memoryMb, 0)} MB`,
      value: of(1_000_000, ({ memoryMb }) => memoryMb) - of(1_000, ({ memoryMb }) => memoryMb),
      unit: ' MB',
      bound: { most: 50 },
    },
    {
      name: `Labelled queries whose app comes first ${on}; of a million`,
      measured: perSize(of, ({ success }) => success, 3),
      value: of(1_000_000, ({ success }) => success),
      unit: '',
      bound: { least: 0.95 },
    },
  ];
}

/** Searches and pages of three catalogue sizes on SQLite. */
export const searchOnSqlite = (): Promise<Figure[]> =>
  inTempFolder(async (folder) => {
    const files = SIZES.map((size) => join(folder, `${size}.sqlite`));
    for (const [n, size] of SIZES.entries()) await loadIntoSqlite(files[n] as string, size);
    return figures('SQLite', readAll(files));
  });

/** The same on PostgreSQL, without durability of the loaded data. */
export async function searchOnPostgres(): Promise<Figure[]> {
  const server = await startPostgres([...FAST_POSTGRES, 'shared_buffers=1GB', 'max_wal_size=8GB']);
  const { url } = server;
  try {
    for (const size of SIZES) {
      await server.createDatabase(`apps_${size}`);
      await loadIntoPostgres(`${url}apps_${size}`, size);
    }
    return figures('PostgreSQL', readAll(SIZES.map((size) => `${url}apps_${size}`)));
  } finally {
    await server.close();
  }
}
