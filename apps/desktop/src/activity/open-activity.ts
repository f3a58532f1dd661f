import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { InstalledApp, RuntimeEvent, System } from '@svc/runtime';
import { inTransaction, openPrivateDatabase, tryLock } from '@svc/runtime/parts';
import { cleanLine } from '@svc/text';
import type { PageEvents } from '../events/page-events.ts';
import { ACTIVITY_KINDS, type ActivityEntry, type ActivityFilter } from '../wire/views.ts';
import type { NamedLike } from './named-like.ts';

/** An entry to add. Its id is assigned in order. */
export type NewEntry = Omit<ActivityEntry, 'id'>;

/** An entry of what begins, which is written before it begins. */
type Begun = Omit<NewEntry, 'ms' | 'waitedMs' | 'outcome' | 'detail'>;

/** How it ended. */
type Ended = Pick<NewEntry, 'appId' | 'ms' | 'waitedMs' | 'outcome' | 'detail'>;

/** Most entries that are stored, and their maximum age in milliseconds: 90 days. */
const MAX_ENTRIES = 5_000;
const MAX_AGE_MS = 90 * 24 * 60 * 60_000;

/** Old entries are pruned each time after this many additions. */
const PRUNE_EVERY = 100;

const MAX_LISTED = 200;

/** Most entries with details in memory. */
const MAX_DETAILS = 500;

/** Longest stored name, in characters. */
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

const OUTCOMES = {
  'account-connected': 'connected',
  'account-disconnected': 'disconnected',
  'account-dropped': 'dropped',
} as const;

type AccountEvent = Extract<RuntimeEvent, { type: keyof typeof OUTCOMES }>;

const isAccountEvent = (event: RuntimeEvent): event is AccountEvent => Object.hasOwn(OUTCOMES, event.type);

/** What no caller asked for. */
const UNASKED = { asker: null, chat: null, ms: null, detail: '' };

const accountEntry = ({ type, appId, accountId }: AccountEvent, at: string): NewEntry => ({
  ...UNASKED,
  ...{ at, appId, kind: 'account', name: accountId, outcome: OUTCOMES[type] },
});

/** What a server said without being asked, or what was repaired of its messages: a name and an outcome; null for other events. */
function serverWords(event: RuntimeEvent): { appId: string; name: string; outcome: string } | null {
  switch (event.type) {
    case 'server-repaired':
      return { appId: event.appId, name: event.what, outcome: 'repaired' };
    case 'server-log':
      return { appId: event.appId, name: event.text, outcome: `log: ${event.level}` };
    case 'server-list-changed':
      return { appId: event.appId, name: `The server changed its ${event.list}.`, outcome: 'changed' };
    default:
      return null;
  }
}

/** A yank or its end as an entry; null for other events. The version comes first in its name: a reason can contain anything. */
function yankWords(event: RuntimeEvent): { appId: string; name: string; outcome: string } | null {
  if (event.type === 'app-yanked')
    return { appId: event.appId, name: `${event.version}: ${event.reason}`, outcome: 'yanked' };
  if (event.type === 'app-restored')
    return { appId: event.appId, name: event.version, outcome: event.on ? 'restored' : 'unyanked' };
  return null;
}

/** Adds a yank or its end, unless it is the last one of its app: each start of the desktop emits the yanks in force. */
function addYank(
  activity: Pick<Activity, 'add' | 'list'>,
  { appId, name, outcome }: Pick<NewEntry, 'appId' | 'name' | 'outcome'>,
  at: string,
): void {
  const [last] = activity.list({ appId, kind: 'yank' }).entries;
  if (last?.outcome === outcome && last.name === cleanLine(name, MAX_TEXT)) return;
  activity.add({ ...UNASKED, at, appId, kind: 'yank', name, outcome });
}

/** Records the end of the yanks that another process of this folder accepted while the desktop was closed. */
export function addMissedEnds(
  activity: Pick<Activity, 'add' | 'list'>,
  apps: readonly InstalledApp[],
  now: Date,
): void {
  for (const { appId, version, yanked, on, restoredAt } of apps) {
    const [last] = activity.list({ appId, kind: 'yank' }).entries;
    if (yanked || last?.outcome !== 'yanked' || !last.name.startsWith(`${version}: `)) continue;
    const outcome = on || restoredAt != null ? 'restored' : 'unyanked';
    addYank(activity, { appId, name: version, outcome }, restoredAt ?? now.toISOString());
  }
}

/** What is under way, by a key: the entries that were written when it began. */
function createUnderWay(activity: Pick<Activity, 'begin' | 'end' | 'drop'>) {
  const entries = new Map<string, number>();
  return {
    begin(key: string, entry: Begun): void {
      entries.set(key, activity.begin(entry));
    },
    /** @returns whether it is known */
    end(key: string, ended: Ended | null): boolean {
      const id = entries.get(key);
      entries.delete(key);
      if (id !== undefined && ended) activity.end(id, ended);
      else if (id !== undefined) activity.drop(id);
      return id !== undefined;
    },
  };
}

/**
 * Records calls and sign-ins when they begin and end, account events, yanks, the logs of servers and repaired answers, and deletes the entries of an
 * app when it is removed.
 * @returns a function that stops recording
 */
export function keepActivity(
  activity: Pick<Activity, 'add' | 'begin' | 'end' | 'drop' | 'clear' | 'list'>,
  { events, now }: { events: PageEvents; now(): Date },
): () => void {
  /** Removed apps. A call that ends after the removal of its app is not recorded. */
  const removed = new Set<string>();
  const underWay = createUnderWay(activity);

  function onSignIn({
    type,
    appId,
    accountId,
  }: Extract<RuntimeEvent, { type: 'sign-in-started' | 'sign-in-ended' }>) {
    const key = `sign-in ${appId} ${accountId}`;
    const by = { asker: null, chat: null };
    const entry = { ...by, at: now().toISOString(), appId, kind: 'account', name: accountId } as const;
    // How it ended is an event of its own.
    if (type === 'sign-in-ended') underWay.end(key, null);
    else if (!removed.has(appId)) underWay.begin(key, entry);
  }
  function onRemoval(event: RuntimeEvent): void {
    if (event.type === 'app-removed') {
      removed.add(event.appId);
      activity.clear(event.appId);
    } else if (event.type === 'app-installed') removed.delete(event.appId);
    else if (event.type === 'developer-app-changed' && event.appId !== null) removed.delete(event.appId);
  }
  function onRuntimeEvent(event: RuntimeEvent): void {
    onRemoval(event);
    if (event.type === 'sign-in-started' || event.type === 'sign-in-ended') onSignIn(event);
    const words = serverWords(event);
    if (words && !removed.has(words.appId))
      activity.add({ ...UNASKED, at: now().toISOString(), kind: 'server', ...words });
    else if (isAccountEvent(event) && !removed.has(event.appId))
      activity.add(accountEntry(event, now().toISOString()));
  }

  /** An update that the user did not start by its installation, which has an entry. It is in the library whole, or not at all. */
  function onUpdate(event: RuntimeEvent): void {
    if (event.type !== 'app-updated' || removed.has(event.appId)) return;
    const [last] = activity.list({ appId: event.appId, kind: 'install' }).entries;
    if (last?.outcome === 'under-way' && last.name === event.version) return;
    const entry = { appId: event.appId, kind: 'install', name: event.version, outcome: 'updated' } as const;
    activity.add({ ...UNASKED, at: now().toISOString(), ...entry });
  }

  function onYank(event: RuntimeEvent): void {
    const yank = yankWords(event);
    if (yank && !removed.has(yank.appId)) addYank(activity, yank, now().toISOString());
  }

  return events.subscribe(null, (event) => {
    if (event.type === 'runtime') {
      onRuntimeEvent(event.event);
      onUpdate(event.event);
      onYank(event.event);
    } else if (event.type === 'call-begun' && !removed.has(event.appId)) {
      const { at, appId, tool, asker, chat } = event;
      underWay.begin(event.log, { at, appId, kind: 'tool', name: tool, asker, chat });
    } else if (event.type === 'call-log') {
      const isCall = event.outcome !== 'not-installed';
      const { log, type: _type, tool, ...ended } = event;
      if (!underWay.end(log, isCall ? ended : null) && isCall && !removed.has(event.appId))
        activity.add({ ...ended, kind: 'tool', name: tool });
    }
  });
}
