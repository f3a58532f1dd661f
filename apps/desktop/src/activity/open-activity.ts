import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { System } from '@svc/runtime';
import { openPrivateDatabase } from '@svc/runtime/parts';
import { cleanLine } from '@svc/text';
import type { ActivityEntry, ActivityFilter, ActivityPage } from '../wire/views.ts';

/** What is added: the id follows from the order. */
export type NewEntry = Omit<ActivityEntry, 'id'>;

/** What apps and agents did, kept from one start to the next. What was sent and answered is kept in memory alone. */
export type Activity = {
  add(entry: NewEntry): void;
  /**
   * Entries, newest first.
   * @param wanted which of them; `before` is the id from which on the older ones are wanted
   */
  list(wanted: ActivityFilter & { before?: number }): ActivityPage;
  /** Forgets what an app did; all when none is given. What was kept of it is overwritten. */
  clear(appId?: string): void;
  close(): void;
};

/** Entries that are kept at most, and for how long in milliseconds: 90 days. */
const MAX_ENTRIES = 5_000;
const MAX_AGE_MS = 90 * 24 * 60 * 60_000;

/** After so many entries the oldest are forgotten. */
const PRUNE_EVERY = 100;

/** Entries of one answer. */
const MAX_LISTED = 200;

/** Entries whose detail is in memory. */
const MAX_DETAILS = 500;

/** Longest text that is kept of a name, in characters. */
const MAX_TEXT = 200;

const SCHEMA = `
  create table if not exists entries (
    id integer primary key autoincrement,
    at text not null,
    app_id text not null,
    kind text not null,
    name text not null,
    asker text,
    ms integer,
    outcome text not null
  ) strict;
  create index if not exists entries_of_app on entries (app_id, id);
`;

/** SQLite's answers for what is no database, or none any more. */
const BROKEN = new Set([11, 26]);

const isBroken = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && BROKEN.has(Number(error.errcode) & 0xff);

/** @throws what `isBroken` knows, where the file is no database that can be read whole */
function openDatabase(file: string): DatabaseSync {
  const database = openPrivateDatabase(file);
  try {
    database.exec('pragma secure_delete = on');
    const [found] = Object.values(database.prepare('pragma quick_check(1)').get() ?? {});
    if (found !== 'ok') throw Object.assign(new Error(String(found)), { errcode: 11 });
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A record that cannot be read is put aside, since nothing else waits for it; a new one begins. */
function openOrRecreate(file: string, onFault: (error: unknown) => void): DatabaseSync {
  try {
    return openDatabase(file);
  } catch (error) {
    if (!isBroken(error)) throw error;
    const aside = `${file}.unreadable`;
    renameSync(file, aside);
    for (const part of ['-wal', '-shm']) rmSync(`${file}${part}`, { force: true });
    onFault(new Error(`What apps did could not be read. It is in ${aside}; a new record begins.`));
    return openDatabase(file);
  }
}

type Row = Record<'at' | 'app_id' | 'kind' | 'name' | 'outcome', string> & {
  id: number;
  asker: string | null;
  ms: number | null;
};

/** The statements of a record; an app of null is all of them. */
function statementsOf(database: DatabaseSync) {
  return {
    insert: database.prepare(
      'insert into entries (at, app_id, kind, name, asker, ms, outcome) values (?, ?, ?, ?, ?, ?, ?)',
    ),
    prune: database.prepare(`
      delete from entries where at < :since or id <= (
        select id from entries order by id desc limit 1 offset ${MAX_ENTRIES}
      )`),
    select: database.prepare(`
      select * from entries where at >= :since and id < :before and (:app is null or app_id = :app)
        and (:kind is null or kind = :kind) and (:outcome is null or outcome = :outcome)
      order by id desc limit ${MAX_LISTED + 1}`),
    apps: database.prepare('select distinct app_id from entries where at >= ? order by app_id'),
    outcomes: database.prepare('select distinct outcome from entries where at >= ? order by outcome'),
    clear: database.prepare('delete from entries where :app is null or app_id = :app'),
  };
}

/** What is shown of the calls of this start alone, by the id of their entry; the oldest are forgotten first. */
function createDetails() {
  const details = new Map<number, { appId: string; detail: string }>();
  return {
    get: (id: number): string => details.get(id)?.detail ?? '',
    add(id: number, appId: string, detail: string) {
      details.set(id, { appId, detail });
      const [oldest] = details.keys();
      if (details.size > MAX_DETAILS && oldest !== undefined) details.delete(oldest);
    },
    clear(wanted?: string) {
      for (const [id, { appId }] of details) if (wanted === undefined || appId === wanted) details.delete(id);
    },
  };
}

/**
 * Opens the record of a folder. An entry is one transaction: whatever ends the process, it is there whole or not at all, and so
 * are those before it. No argument, result or token is ever written.
 * @param folder which is there, for its owner alone
 * @param onFault told of a record that could not be read, and was put aside
 * @throws what the file system throws
 */
export function openActivity(
  system: Pick<System, 'now'>,
  folder: string,
  onFault: (error: unknown) => void,
): Activity {
  const database = openOrRecreate(join(folder, 'calls.sqlite'), onFault);
  const { insert, prune, select, apps, outcomes, clear } = statementsOf(database);
  const details = createDetails();
  const since = () => new Date(system.now() - MAX_AGE_MS).toISOString();
  const short = (text: string) => cleanLine(text, MAX_TEXT);
  let added = 0;

  const entryOf = ({ id, at, app_id: appId, kind, name, asker, ms, outcome }: Row): ActivityEntry => ({
    ...{ id, at, appId, name, asker, ms, outcome },
    kind: kind === 'account' ? 'account' : 'tool',
    detail: details.get(id),
  });

  prune.run({ since: since() });
  return {
    add({ at, appId, kind, name, asker, ms, outcome, detail }) {
      const who = asker === null ? null : short(asker);
      const { lastInsertRowid } = insert.run(at, short(appId), kind, short(name), who, ms, short(outcome));
      details.add(Number(lastInsertRowid), appId, detail);
      added += 1;
      if (added % PRUNE_EVERY === 0) prune.run({ since: since() });
    },
    list({ appId, kind, outcome, before = Number.MAX_SAFE_INTEGER }) {
      const wanted = { app: appId ?? null, kind: kind ?? null, outcome: outcome ?? null };
      const rows = select.all({ since: since(), before, ...wanted }) as unknown as Row[];
      return {
        entries: rows.slice(0, MAX_LISTED).map(entryOf),
        more: rows.length > MAX_LISTED,
        apps: apps.all(since()).map((row) => String(row.app_id)),
        outcomes: outcomes.all(since()).map((row) => String(row.outcome)),
      };
    },
    clear(appId) {
      clear.run({ app: appId ?? null });
      // What was written lately is in a file of its own, until it is taken over from there.
      database.exec('pragma wal_checkpoint(truncate)');
      details.clear(appId);
    },
    close: () => database.close(),
  };
}
