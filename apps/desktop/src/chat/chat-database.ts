import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, openPrivateDatabase } from '@svc/runtime/parts';

const SCHEMA = `
  create table if not exists chats (
    id text primary key,
    project text not null,
    title text not null,
    model text,
    off text not null default '[]',
    allowed text not null default '[]',
    head integer,
    at text not null
  ) strict;
  create index if not exists chats_of_project on chats (project, at);
  create table if not exists messages (
    id integer primary key autoincrement,
    chat text not null references chats (id) on delete cascade,
    parent integer,
    role text not null,
    parts text not null,
    status text not null,
    fault text,
    model text,
    at text not null
  ) strict;
  create index if not exists messages_of_chat on messages (chat, parent);
  create index if not exists messages_running on messages (chat) where status = 'running';
  create table if not exists writers (
    message integer primary key references messages (id) on delete cascade,
    writer text not null
  ) strict;
  create table if not exists attachments (
    id text primary key,
    chat text not null references chats (id) on delete cascade,
    name text not null,
    type text not null,
    bytes blob not null
  ) strict;
  create index if not exists attachments_of_chat on attachments (chat);
  create table if not exists attachment_texts (
    id text primary key references attachments (id) on delete cascade,
    text text not null
  ) strict;
  create table if not exists drafts (id text primary key, text text not null, after text, at text not null) strict;
  create table if not exists draft_files (
    id text primary key,
    draft text not null references drafts (id) on delete cascade,
    name text not null,
    type text not null,
    bytes blob not null
  ) strict;
  create index if not exists files_of_draft on draft_files (draft);
  create table if not exists prompts (project text primary key, text text not null) strict;
`;

/** Adds a column that older versions did not have. The transaction orders processes that start at the same time. */
function addParams(database: DatabaseSync): void {
  inTransaction(database, () => {
    const columns = database.prepare('pragma table_info(chats)').all();
    if (!columns.some(({ name }) => name === 'params'))
      database.exec("alter table chats add column params text not null default '{}'");
  });
}

/** Opens the database of conversations. Several processes may have it open. @param file readable by its owner only */
export function openChatDatabase(file: string): DatabaseSync {
  const database = openPrivateDatabase(file);
  try {
    database.exec('pragma foreign_keys = on; pragma secure_delete = on;');
    database.exec(SCHEMA);
    addParams(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
