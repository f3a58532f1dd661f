import { join } from 'node:path';
import { sql } from 'kysely';
import { watchPlaces } from '../../apps/store/src/adapters/disk/in-place.ts';
import { filesOf, openSqlite } from '../../apps/store/src/adapters/sqlite/open-sqlite.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, median } from './lib/processes.ts';

const TRANSACTIONS = 2_000;
const ROUNDS = 15;

/** CPU time per repetition, in microseconds. */
async function cpuUs(turn: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < TRANSACTIONS; n += 1) await turn();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / TRANSACTIONS;
}

/** The two checks of the database files around a transaction, as a share of the smallest transaction. */
export const inPlace = (): Promise<Figure> =>
  inTempFolder(async (folder) => {
    const file = join(folder, 'store.sqlite');
    const db = openSqlite(file);
    await sql`create table numbers (n integer)`.execute(db);
    const look = watchPlaces(filesOf(file));
    const insert = () =>
      db
        .transaction()
        .execute(async (within) => void (await sql`insert into numbers values (1)`.execute(within)));
    const rounds: { looks: number; whole: number }[] = [];
    // The first rounds are a warm-up.
    for (let round = -3; round < ROUNDS; round += 1) {
      const looks = await cpuUs(() => {
        look();
        look();
      });
      const whole = await cpuUs(insert);
      if (round >= 0) rounds.push({ looks, whole });
    }
    await db.destroy();
    const looks = median(rounds.map((one) => one.looks));
    const whole = median(rounds.map((one) => one.whole));
    return {
      name: 'Checking that the files of SQLite are in place, around a transaction of one row, as a share of its CPU time',
      measured: `${looks.toFixed(1)} of ${whole.toFixed(1)} µs`,
      value: (100 * looks) / whole,
      unit: ' %',
      bound: { most: 10 },
    };
  });
