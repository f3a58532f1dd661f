import { join } from 'node:path';
import { makePrivateFolder } from '@svc/bundle/private-files';
import { openPrivateDatabase } from '../platform/private-database.ts';

/** One use of a token: the host that received it, and the tool. It contains no token. */
export type TokenUse = { host: string; tool: string; at: string };

/** Maximum number of stored uses per account. */
const MAX_KEPT = 2_000;

/** The oldest uses are deleted after this many new ones. */
const PRUNE_EVERY = 100;

/** Maximum stored length of a host or tool, in characters. */
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
 * Opens the log of a folder. Several processes may use one folder. A use is written before its token is returned, so that it
 * survives a crash of this process.
 */
export function openActivity(folder: string) {
  makePrivateFolder(folder);
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
    add(appId: string, accountId: string, { host, tool, at }: TokenUse) {
      insert.run(appId, accountId, host.slice(0, MAX_TEXT), tool.slice(0, MAX_TEXT), at);
      const key = JSON.stringify([appId, accountId]);
      const count = (added.get(key) ?? 0) + 1;
      added.set(key, count);
      if (count % PRUNE_EVERY === 0) prune.run(appId, accountId, appId, accountId);
    },
    /** The latest uses, newest first. */
    latest: (appId: string, accountId: string, limit: number = 100) =>
      select.all(appId, accountId, Math.min(limit, MAX_KEPT)).map(({ host, tool, at }) => ({
        host: String(host),
        tool: String(tool),
        at: String(at),
      })),
    close: () => database.close(),
  };
}
