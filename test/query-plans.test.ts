import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { expect, it } from 'vitest';
import { onPostgres } from '../apps/store/test/support/database.ts';
import { explainOnSqlite, type Reading } from '../apps/store/test/support/plans/explain.ts';
import {
  exercise,
  filledSqlite,
  folderForTest,
  onFilledPostgres,
} from '../apps/store/test/support/plans/filled.ts';
import { READS_MUCH } from '../apps/store/test/support/plans/reads-much.ts';
import { unexercisedIn } from '../apps/store/test/support/plans/unexercised.ts';

/** Queries that read more than 1% of the apps and are not listed as exceptions, one line each. */
const tooMuch = (readings: readonly Reading[], apps: number): string[] => [
  ...new Set(
    readings
      .filter(({ by, rows }) => rows > apps / 100 && !(by in READS_MUCH))
      .map(({ by, how, rows, sql }) => `${by} reads ${rows} rows: ${how}\n  ${sql}`),
  ),
];

/** Four million rows take minutes on a busy machine. */
const MILLIONS = { ...DEEP, timeout: 600_000 };

const SMALL = 5_000;
const LARGE = 100_000;

if (onPostgres()) {
  it('finds rows by an index at 100,000 apps on PostgreSQL', MILLIONS, async () => {
    expect(tooMuch(await onFilledPostgres(LARGE), LARGE)).toEqual([]);
  });
} else {
  it('finds rows by an index in every query of the store on SQLite', async () => {
    const { database, file, folder } = await filledSqlite(SMALL);
    const queries = await exercise(file, folder);
    expect(unexercisedIn(join(folder, 'coverage'))).toEqual([]);
    expect(queries.length).toBeGreaterThan(250);
    expect(tooMuch(explainOnSqlite(database, queries), SMALL)).toEqual([]);
  });

  it('reports a query with a missing index, and queries that no test runs', async () => {
    const { database } = await filledSqlite(SMALL);
    database.exec('drop index versions_published');
    database.exec('create index versions_by_state on versions (state, submitted_at)');
    const sql = `select version from versions where app_id = 'app.1002500' and state = 'published'`;
    const [found] = tooMuch(explainOnSqlite(database, [{ by: 'old', sql, parameters: [] }]), SMALL);
    expect(found).toContain('versions_by_state (state=?)');
    expect(unexercisedIn(await folderForTest()).length).toBeGreaterThan(200);
  });

  it('finds rows by an index at 100,000 apps on SQLite', MILLIONS, async () => {
    const { database, file, folder } = await filledSqlite(LARGE);
    expect(tooMuch(explainOnSqlite(database, await exercise(file, folder)), LARGE)).toEqual([]);
  });
}
