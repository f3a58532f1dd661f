import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openPrivateDatabase } from '../platform/private-database.ts';

/** One handing over of a token: which host got it, for which tool. No token is in it. */
export type TokenUse = { host: string; tool: string; at: string };

/** What was done with the tokens of each account. */
export type Activity = {
  add(appId: string, accountId: string, use: TokenUse): void;
  /** The latest uses, newest first. */
  latest(appId: string, accountId: string, limit?: number): TokenUse[];
  close(): void;
};

/** Uses that are kept for each account. */
const MAX_KEPT = 2_000;

/** After so many uses the oldest are forgotten. */
const PRUNE_EVERY = 100;

/** Longest text that is kept of a host or tool, in characters. */
const MAX_TEXT = 253;

const SCHEMA = `
  create table if not exists uses (
    id integer primary key,
    app_id text not null,
    account_id text not null,
    host text not null,
    tool text not null,
    at text not null
  ) strict;
  create index if not exists uses_of_account on uses (app_id, account_id, id);
`;

/**
 * Opens the record of a folder, which several processes may have open. A use is written before its token is handed out, which
 * takes some microseconds: it is in the hands of the operating system then, and outlives this process.
 */
export function openActivity(folder: string): Activity {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = openPrivateDatabase(join(folder, 'activity.sqlite'));
  database.exec(SCHEMA);
  const insert = database.prepare(
    'insert into uses (app_id, account_id, host, tool, at) values (?, ?, ?, ?, ?)',
  );
  const prune = database.prepare(`
    delete from uses where app_id = ? and account_id = ? and id <= (
      select id from uses where app_id = ? and account_id = ? order by id desc limit 1 offset ${MAX_KEPT}
    )`);
  const select = database.prepare(
    'select host, tool, at from uses where app_id = ? and account_id = ? order by id desc limit ?',
  );
  const added = new Map<string, number>();
  return {
    add(appId, accountId, { host, tool, at }) {
      insert.run(appId, accountId, host.slice(0, MAX_TEXT), tool.slice(0, MAX_TEXT), at);
      const key = JSON.stringify([appId, accountId]);
      const count = (added.get(key) ?? 0) + 1;
      added.set(key, count);
      if (count % PRUNE_EVERY === 0) prune.run(appId, accountId, appId, accountId);
    },
    latest: (appId, accountId, limit = 100) =>
      select.all(appId, accountId, Math.min(limit, MAX_KEPT)).map(({ host, tool, at }) => ({
        host: String(host),
        tool: String(tool),
        at: String(at),
      })),
    close: () => database.close(),
  };
}
