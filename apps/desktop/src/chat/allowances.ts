import type { DatabaseSync } from 'node:sqlite';
import type { CallRequest } from '@svc/runtime';
import { inTransaction } from '@svc/runtime/parts';

/** Most tools that a conversation can call without a card; the oldest ask again. */
const MAX_ALLOWED = 500;

/** Most that are listed. */
const MAX_LISTED = 1_000;

/** Up to here a conversation had a list of keys, which said nothing of the tools. */
const SCHEMA = `
  create table if not exists allowances (
    chat text not null references chats (id) on delete cascade,
    key text not null,
    app_id text,
    tool text,
    since text,
    used_at text,
    primary key (chat, key)
  ) strict, without rowid;
  insert or ignore into allowances (chat, key) select chats.id, each.value from chats, json_each(chats.allowed) each
    where chats.allowed <> '[]';
  update chats set allowed = '[]' where allowed <> '[]';
`;

/** A tool that the user allowed for the rest of a conversation; null where an earlier version did not write it. Times are ISO 8601. */
export type Allowance = {
  chat: string;
  key: string;
  title: string;
  project: string;
  appId: string | null;
  tool: string | null;
  since: string | null;
  usedAt: string | null;
};

/** The tools that the user allowed for conversations. A call of another tool, or of a changed one, asks. */
export function createAllowances(database: DatabaseSync, now: () => Date) {
  inTransaction(database, () => database.exec(SCHEMA));
  const use = database.prepare('update allowances set used_at = ? where chat = ? and key = ?');
  const add = database.prepare(
    'insert or replace into allowances (chat, key, app_id, tool, since) values (?, ?, ?, ?, ?)',
  );
  const prune = database.prepare(`
    delete from allowances where chat = :chat and key not in (
      select key from allowances where chat = :chat order by since desc limit ${MAX_ALLOWED})`);
  const list = database.prepare(`
    select chat, key, title, project, app_id as appId, tool, since, used_at as usedAt
    from allowances join chats on chats.id = chat order by since desc limit ${MAX_LISTED}`);
  const remove = database.prepare('delete from allowances where chat = ? and key = ?');
  return {
    /** Asks about each call of a conversation that the user did not allow for it. */
    in: (chat: string): NonNullable<CallRequest['askAlways']> => ({
      isAllowed: (key) => use.run(now().toISOString(), chat, key).changes > 0,
      allow(key, { appId, name }) {
        inTransaction(database, () => {
          add.run(chat, key, appId, name, now().toISOString());
          prune.run({ chat });
        });
      },
    }),
    list: () => list.all().map((row) => ({ ...row })) as Allowance[],
    /** The next call asks again. */
    revoke(chat: string, key: string) {
      remove.run(chat, key);
    },
  };
}
