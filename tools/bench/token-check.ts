import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../apps/store/src/adapters/database/migrations.ts';
import { openSqlite } from '../../apps/store/src/adapters/sqlite/open-sqlite.ts';
import { recognise } from '../../apps/store/src/core/domain/identity/caller.ts';
import { newToken } from '../../apps/store/src/core/domain/identity/token-format.ts';
import { createTokenStore } from '../../apps/store/src/core/domain/identity/token-store.ts';
import type { Figure } from './lib/figure.ts';
import { inTempFolder, median } from './lib/processes.ts';

const MANY = 100_000;
const FEW = 100;
const PEOPLE = 1_000;
const CHECKS = 2_000;
const ROUNDS = 15;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A database with the given number of tokens and users, each a member of two publishers. */
async function fill(file: string, count: number): Promise<string[]> {
  const db = openSqlite(file);
  await migrate(db);
  await db.destroy();
  const bytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const tokens = Array.from({ length: count }, () => newToken('personal', bytes));
  const database = new DatabaseSync(file);
  database.exec('begin');
  const publisher = database.prepare(
    "insert into publishers (slug, name, verified, suspended, created_at, look) values (?, 'P', 1, 0, '2026', ?)",
  );
  const person = database.prepare("insert into people (id, name, created_at) values (?, 'Ada', '2026')");
  const member = database.prepare("insert into members values (?, ?, 'member', '2026')");
  const token = database.prepare(
    `insert into tokens (hash, id, kind, name, person_id, scopes_json, created_at, expires_at)
     values (?, ?, 'personal', 'laptop', ?, '["publish:new","publish:update"]', '2026', '2999')`,
  );
  for (const slug of ['one', 'two']) publisher.run(slug, slug);
  for (let n = 0; n < PEOPLE; n += 1) {
    person.run(`person-${n}`);
    for (const slug of ['one', 'two']) member.run(slug, `person-${n}`);
  }
  for (const [n, text] of tokens.entries()) token.run(hashOf(text), `token-${n}`, `person-${n % PEOPLE}`);
  database.exec('commit');
  database.close();
  return tokens;
}

/** Checks tokens as a request does, from header to caller; milliseconds per check. */
function checker(file: string, tokens: readonly string[]) {
  const db = openSqlite(file);
  const deps = {
    tokens: createTokenStore(db),
    clock: () => new Date(),
    adminToken: 'benchmark-0123456789',
    recordUse: () => {},
  };
  const from = { address: null, requestId: null };
  const headers = tokens.map((token) => `Bearer ${token}`);
  let next = 0;
  return {
    close: () => db.destroy(),
    async round(): Promise<number> {
      const started = performance.now();
      for (let n = 0; n < CHECKS; n += 1) {
        // Far from the previous one, so that its pages are not cached.
        next = (next + 7_919) % headers.length;
        await recognise(deps, headers[next], from);
      }
      return (performance.now() - started) / CHECKS;
    },
  };
}

/** The same lookup with only a prepared statement. */
function bareLookup(file: string, tokens: readonly string[]) {
  const database = new DatabaseSync(file, { readOnly: true });
  const statement = database.prepare('select * from tokens where hash = ?');
  let next = 0;
  return {
    close: () => database.close(),
    round(): number {
      const started = performance.now();
      for (let n = 0; n < CHECKS; n += 1) {
        next = (next + 7_919) % tokens.length;
        statement.get(hashOf(tokens[next] as string));
      }
      return (performance.now() - started) / CHECKS;
    },
  };
}

/** The check of a developer token among 100,000 on SQLite, against 100 tokens and against a bare prepared statement. */
export const tokenCheck = (): Promise<Figure[]> =>
  inTempFolder(async (folder) => {
    const [large, small] = [join(folder, 'large.sqlite'), join(folder, 'small.sqlite')];
    const tokens = await fill(large, MANY);
    const [many, few, bare] = [
      checker(large, tokens),
      checker(small, await fill(small, FEW)),
      bareLookup(large, tokens),
    ];
    const rounds: { many: number; few: number; bare: number }[] = [];
    // The first rounds are a warm-up.
    for (let round = -3; round < ROUNDS; round += 1) {
      const took = { few: await few.round(), many: await many.round(), bare: bare.round() };
      if (round >= 0) rounds.push(took);
    }
    await many.close();
    await few.close();
    bare.close();
    const of = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
    const us = (ms: number) => `${(ms * 1000).toFixed(0)} µs`;
    return [
      {
        name: `Check of a developer token among ${MANY} on SQLite, from the header to the caller`,
        measured: `${us(of((r) => r.many))}; a bare prepared lookup: ${us(of((r) => r.bare))} (${of((r) => r.many / r.bare).toFixed(1)} times faster)`,
        value: of((r) => r.many),
        unit: ' ms',
        bound: { most: 0.2 },
      },
      {
        name: `Check of a developer token among ${MANY} against one among ${FEW}, on SQLite`,
        measured: `${us(of((r) => r.many))} against ${us(of((r) => r.few))}`,
        value: of((r) => r.many / r.few),
        unit: ' times',
        bound: { most: 2 },
      },
    ];
  });
