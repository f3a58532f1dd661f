import { DatabaseSync } from 'node:sqlite';
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

/** The columns that older versions did not have: their tables and types. */
const LATER = {
  params: ['chats', "text not null default '{}'"],
  kept: ['messages', 'text'],
  pinned: ['chats', 'integer not null default 0'],
  archived: ['chats', 'integer not null default 0'],
  // Of an imported conversation: its id elsewhere, the import, and the last message of it.
  source: ['chats', 'text'],
  import: ['chats', 'text'],
  imported: ['chats', 'integer'],
  // Whether a person wrote the title; and the conversation that it continues.
  titled: ['chats', 'integer not null default 0'],
  origin: ['chats', 'text'],
} as const;

/** Indexes of such columns. */
const LATER_INDEXES = `
  create index if not exists chats_of_import on chats (import) where import is not null;
  create index if not exists chats_of_source on chats (project, source) where source is not null;
  create index if not exists chats_of_origin on chats (origin) where origin is not null;
`;

/** Adds the columns that are missing. The transaction orders processes that start at the same time. */
function addColumns(database: DatabaseSync): void {
  inTransaction(database, () => {
    for (const [name, [table, type]] of Object.entries(LATER)) {
      const columns = database.prepare(`pragma table_info(${table})`).all();
      if (!columns.some((column) => column.name === name))
        database.exec(`alter table ${table} add column ${name} ${type}`);
    }
  });
}

function withTables(database: DatabaseSync): DatabaseSync {
  try {
    database.exec('pragma foreign_keys = on; pragma secure_delete = on;');
    database.exec(SCHEMA);
    addColumns(database);
    database.exec(LATER_INDEXES);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens the database of conversations. Several processes may have it open. @param file readable by its owner only */
export const openChatDatabase = (file: string): DatabaseSync => withTables(openPrivateDatabase(file));

/** Largest database of temporary conversations, in pages of 4 KiB: 512 MiB. */
const MAX_PAGES = 131_072;

/** Opens a database of conversations in memory, of which nothing is written to disk. */
export const openTemporaryDatabase = (): DatabaseSync => {
  const database = withTables(new DatabaseSync(':memory:'));
  database.exec(`pragma temp_store = memory; pragma max_page_count = ${MAX_PAGES};`);
  return database;
};
