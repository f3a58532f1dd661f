import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { System } from '@svc/runtime';
import { inTransaction, openPrivateDatabase, tryLock } from '@svc/runtime/parts';
import { cleanLine } from '@svc/text';
import { ACTIVITY_KINDS, type ActivityEntry, type ActivityFilter } from '../wire/views.ts';
import type { NamedLike } from './named-like.ts';

/** Longest stored name, in characters. */
export const MAX_TEXT = 200;

/** An entry to add. Its id is assigned in order. */
export type NewEntry = Omit<ActivityEntry, 'id'>;

/** An entry of what begins, which is written before it begins. */
export type Begun = Omit<NewEntry, 'ms' | 'waitedMs' | 'outcome' | 'detail'>;

/** How it ended. */
export type Ended = Pick<NewEntry, 'appId' | 'ms' | 'waitedMs' | 'outcome' | 'detail'>;

/** Most entries that are stored, and their maximum age in milliseconds: 90 days. */
const MAX_ENTRIES = 5_000;
const MAX_AGE_MS = 90 * 24 * 60 * 60_000;

/** Old entries are pruned each time after this many additions. */
const PRUNE_EVERY = 100;

const MAX_LISTED = 200;

/** Most entries with details in memory. */
const MAX_DETAILS = 500;

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

/**
 * The process that does what an entry says, while it does it, the conversation, and the time that it waited. Older versions wrote an entry
 * only when that had ended, without these.
 */
function addColumns(database: DatabaseSync): void {
  inTransaction(database, () => {
    const columns = database.prepare('pragma table_info(entries)').all();
    for (const [column, type] of Object.entries({ writer: 'text', chat: 'text', waited_ms: 'integer' }))
      if (!columns.some(({ name }) => name === column))
        database.exec(`alter table entries add column ${column} ${type}`);
    database.exec(
      'create index if not exists entries_under_way on entries (writer) where writer is not null',
    );
  });
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, https://sqlite.org/rescode.html */
const CORRUPT = new Set([11, 26]);

const isCorrupt = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && CORRUPT.has(Number(error.errcode) & 0xff);

/** @throws an error for a file that is not an intact database, as recognised by `isCorrupt` */
function openDatabase(file: string): DatabaseSync {
  const database = openPrivateDatabase(file);
  try {
    database.exec('pragma secure_delete = on');
    const [check] = Object.values(database.prepare('pragma quick_check(1)').get() ?? {});
    if (check !== 'ok') throw Object.assign(new Error(String(check)), { errcode: 11 });
    database.exec(SCHEMA);
    addColumns(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens the log. A corrupt file is renamed and a new log is created, because nothing depends on it. */
function openOrRecreate(file: string, onFault: (error: unknown) => void): DatabaseSync {
  try {
    return openDatabase(file);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    const aside = `${file}.unreadable`;
    renameSync(file, aside);
    for (const part of ['-wal', '-shm']) rmSync(`${file}${part}`, { force: true });
    onFault(
      new Error(`The activity log could not be read. It was moved to ${aside}, and a new log was created.`),
    );
    return openDatabase(file);
  }
}

type Row = Record<'at' | 'app_id' | 'kind' | 'name' | 'outcome', string> & {
  id: number;
  asker: string | null;
  chat: string | null;
  ms: number | null;
  waited_ms: number | null;
};

/** The prepared statements. A null app means all apps. */
function statementsOf(database: DatabaseSync) {
  return {
    insert: database.prepare(
      'insert into entries (at, app_id, kind, name, asker, chat, ms, waited_ms, outcome) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    begin: database.prepare(
      'insert into entries (at, app_id, kind, name, asker, chat, outcome, writer) values (?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    end: database.prepare(
      'update entries set ms = ?, waited_ms = ?, outcome = ?, writer = null where id = ?',
    ),
    drop: database.prepare('delete from entries where id = ?'),
    writers: database.prepare('select distinct writer from entries where writer is not null and writer <> ?'),
    interrupt: database.prepare("update entries set outcome = 'interrupted', writer = null where writer = ?"),
    prune: database.prepare(`
      delete from entries where at < :since or id <= (
        select id from entries order by id desc limit 1 offset ${MAX_ENTRIES}
      )`),
    select: database.prepare(`
      select * from entries where at >= :since and id < :before and (:app is null or app_id = :app)
        and (:kind is null or kind = :kind) and (:outcome is null or outcome = :outcome)
        and (:asker is null or asker = :asker) and (:chat is null or chat = :chat) and (:to is null or at < :to)
        and (:text is null or instr(lower(app_id || ' ' || name || ' ' || coalesce(asker, '')), :text) > 0
          or app_id in (select value from json_each(:apps)) or app_id || ' ' || name in (select value from json_each(:parts)))
      order by id desc limit ${MAX_LISTED + 1}`),
    apps: database.prepare('select distinct app_id from entries where at >= ? order by app_id'),
    outcomes: database.prepare('select distinct outcome from entries where at >= ? order by outcome'),
    askers: database.prepare(
      'select distinct asker from entries where at >= ? and asker is not null order by asker',
    ),
    clear: database.prepare('delete from entries where :app is null or app_id = :app'),
  };
}

const WRITER = /^[\w-]{1,100}$/;

/**
 * The processes that add entries: each holds a lock file, which ends with it. What a process that ended had under way is interrupted.
 * @returns closes the file, and marks what processes that ended left
 */
function createWriter(
  { writers, interrupt }: Pick<ReturnType<typeof statementsOf>, 'writers' | 'interrupt'>,
  folder: string,
  own: string,
) {
  const fileOf = (id: string) => join(folder, `calls-writer-${id}.lock`);
  const held = tryLock(fileOf(own));
  if (held === null) throw new Error('Another process has the same id.');
  function sweep(): void {
    for (const { writer } of writers.all(own)) {
      const id = String(writer);
      const lock = WRITER.test(id) ? tryLock(fileOf(id)) : null;
      if (WRITER.test(id) && lock === null) continue;
      lock?.close();
      rmSync(fileOf(id), { force: true });
      interrupt.run(id);
    }
  }
  sweep();
  return {
    sweep,
    close() {
      held.close();
      rmSync(fileOf(own), { force: true });
    },
  };
}

/** Details of calls since the start, by the id of their entry. The oldest are deleted first. */
function createDetails() {
  const details = new Map<number, { appId: string; detail: string }>();
  return {
    get: (id: number): string => details.get(id)?.detail ?? '',
    add(id: number, appId: string, detail: string) {
      details.set(id, { appId, detail });
      const [oldest] = details.keys();
      if (details.size > MAX_DETAILS && oldest !== undefined) details.delete(oldest);
    },
    clear(cleared?: string) {
      for (const [id, { appId }] of details)
        if (cleared === undefined || appId === cleared) details.delete(id);
    },
  };
}

/**
 * Opens the activity log of a folder. Each entry is one transaction. No argument, result or token is written to disk.
 * @param folder an existing folder that only its owner can read
 * @param onFault called when a corrupt log was moved aside
 * @throws errors of the file system
 */
export function openActivity(
  system: Pick<System, 'now' | 'randomBytes'>,
  folder: string,
  onFault: (error: unknown) => void,
) {
  const database = openOrRecreate(join(folder, 'calls.sqlite'), onFault);
  const sql = statementsOf(database);
  const { insert, prune, select, apps, outcomes, askers, clear } = sql;
  const own = Buffer.from(system.randomBytes(12)).toString('hex');
  const writer = createWriter(sql, folder, own);
  const details = createDetails();
  const since = () => new Date(system.now() - MAX_AGE_MS).toISOString();
  const truncate = (text: string) => cleanLine(text, MAX_TEXT);
  let added = 0;

  const entryOf = ({ id, at, app_id: appId, kind, name, asker, chat, ms, ...row }: Row): ActivityEntry => ({
    ...{ id, at, appId, name, asker, chat, ms, outcome: row.outcome },
    ...(row.waited_ms !== null && { waitedMs: row.waited_ms }),
    kind: ACTIVITY_KINDS.find((known) => known === kind) ?? 'tool',
    detail: details.get(id),
  });

  prune.run({ since: since() });
  return {
    add({ at, appId, kind, name, asker, chat, ms, waitedMs, outcome, detail }: NewEntry) {
      const caller = asker === null ? null : truncate(asker);
      const { lastInsertRowid } = insert.run(
        at,
        truncate(appId),
        kind,
        truncate(name),
        caller,
        chat,
        ms,
        waitedMs ?? null,
        truncate(outcome),
      );
      details.add(Number(lastInsertRowid), appId, detail);
      added += 1;
      if (added % PRUNE_EVERY === 0) prune.run({ since: since() });
    },
    /** Writes what begins. @returns its id, for `end` */
    begin({ at, appId, kind, name, asker, chat }: Begun): number {
      const caller = asker === null ? null : truncate(asker);
      const row = [at, truncate(appId), kind, truncate(name), caller, chat, 'under-way', own];
      return Number(sql.begin.run(...row).lastInsertRowid);
    },
    end(id: number, { appId, ms, waitedMs, outcome, detail }: Ended) {
      if (sql.end.run(ms, waitedMs ?? null, truncate(outcome), id).changes > 0)
        details.add(id, appId, detail);
      added += 1;
      if (added % PRUNE_EVERY === 0) prune.run({ since: since() });
    },
    /** Takes an entry back that says nothing of its own. */
    drop(id: number): void {
      sql.drop.run(id);
    },
    /**
     * Entries, newest first.
     * @param filter `before` returns only entries older than this id
     * @param like what the text of the filter names besides what is in the log
     */
    list(
      { before = Number.MAX_SAFE_INTEGER, ...given }: ActivityFilter & { before?: number },
      like: NamedLike = { apps: [], parts: [] },
    ) {
      const {
        appId = null,
        kind = null,
        outcome = null,
        asker = null,
        chat = null,
        from = '',
        to = null,
        text,
      } = given;
      writer.sweep();
      const filter = { app: appId, kind, outcome, asker, chat, to, since: from > since() ? from : since() };
      const search = {
        text: text?.toLowerCase() ?? null,
        apps: JSON.stringify(like.apps),
        parts: JSON.stringify(like.parts),
      };
      const rows = select.all({ before, ...filter, ...search }) as unknown as Row[];
      return {
        entries: rows.slice(0, MAX_LISTED).map(entryOf),
        more: rows.length > MAX_LISTED,
        apps: apps.all(since()).map((row) => String(row.app_id)),
        outcomes: outcomes.all(since()).map((row) => String(row.outcome)),
        askers: askers.all(since()).map((row) => String(row.asker)),
      };
    },
    /** Deletes the entries of an app, or all entries. Deleted data is overwritten on disk. */
    clear(appId?: string) {
      clear.run({ app: appId ?? null });
      // Recent writes are in the write-ahead log until a checkpoint.
      database.exec('pragma wal_checkpoint(truncate)');
      details.clear(appId);
    },
    close() {
      database.close();
      writer.close();
    },
  };
}

/** The activity log: what apps and agents did, across restarts. Arguments and results are kept in memory only. */
export type Activity = ReturnType<typeof openActivity>;
