import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '@svc/runtime/parts';
import { cleanLine } from '@svc/text';
import { HttpError, notFound } from '../http/exchange.ts';
import type { ChatMessage, ChatParams, ChatPart, ChatView, LinkedChat, ModelRef } from '../wire/chat.ts';
import type { KeptAnswer } from './kept-step.ts';

/** Limits of stored conversations. */
export const MAX_CHATS = 20_000;
export const MAX_MESSAGES = 20_000;
export const MAX_TITLE = 120;

/** Messages of one page, and most messages sent to a model. */
const PAGE = 60;
/** Messages before the one that a search found. */
const EARLIER = 10;
const MAX_SENT = 400;

/** The content of a message, without its position. */
type Written = Pick<ChatMessage, 'parts' | 'status' | 'fault' | 'model'>;

type MessageRow = Record<'role' | 'parts' | 'status' | 'at', string> & {
  id: number;
  parent: number | null;
  fault: string | null;
  model: string | null;
  branches: string;
};
export type ChatRow = Record<'id' | 'project' | 'title' | 'off' | 'params' | 'at', string> & {
  model: string | null;
  head: number | null;
  pinned: number;
  archived: number;
  origin: string | null;
};

/** A stored conversation. */
export type Chat = Required<Omit<ChatView, 'running' | 'temporary'>> & {
  head: number | null;
  /** The conversation that it continues. */
  origin: string | null;
};

export const chatOf = ({ model, off, params, pinned, archived, ...row }: ChatRow): Chat => ({
  ...{ id: row.id, project: row.project, title: row.title, head: row.head, at: row.at, origin: row.origin },
  pinned: pinned === 1,
  archived: archived === 1,
  model: model === null ? null : (JSON.parse(model) as ModelRef),
  off: JSON.parse(off) as string[],
  params: JSON.parse(params) as ChatParams,
});

/** A call as it is once its answer has ended: one that still ran was interrupted with the process that made it. */
function endedPart(part: ChatPart): ChatPart {
  if (part.type !== 'call' || part.call.state !== 'running') return part;
  const cards = part.call.cards.map((card) =>
    card.state === 'waiting' ? { ...card, state: 'gone' as const } : card,
  );
  const ended = { state: 'refused', code: 'interrupted', text: INTERRUPTED, until: null, cards } as const;
  return { ...part, call: { ...part.call, ...ended } };
}

const INTERRUPTED =
  'svc desktop quit during this call: its end is unknown. Retry asks again before it is made.';

const messageOf = ({ fault, parts, branches, ...row }: MessageRow): ChatMessage => ({
  ...(row as Pick<ChatMessage, 'id' | 'parent' | 'role' | 'status' | 'model' | 'at'>),
  parts: (JSON.parse(parts) as ChatPart[]).map(row.status === 'running' ? (part) => part : endedPart),
  fault: fault === null ? null : (JSON.parse(fault) as ChatMessage['fault']),
  branches: (JSON.parse(branches) as number[]).sort((a, b) => a - b),
});

/** A message with the ids of its branches. */
const COLUMNS = `m.id, m.parent, m.role, m.parts, m.status, m.fault, m.model, m.at,
  (select json_group_array(o.id) from messages o where o.chat = m.chat and o.parent is m.parent) as branches`;

function statementsOf(database: DatabaseSync) {
  return {
    get: database.prepare('select * from chats where id = ?'),
    count: database.prepare('select (select count(*) from chats) as chats'),
    size: database.prepare('select count(*) as size from messages where chat = ?'),
    create: database.prepare('insert into chats (id, project, title, model, at) values (?, ?, ?, ?, ?)'),
    update: database.prepare(
      'update chats set title = ?, model = ?, off = ?, params = ?, head = ?, pinned = ?, archived = ?, at = ? where id = ?',
    ),
    remove: database.prepare('delete from chats where id = ?'),
    rename: database.prepare('update chats set title = ?, titled = ? where id = ?'),
    nameFirst: database.prepare('update chats set title = ? where id = ? and titled = 0 and title = ?'),
    all: database.prepare('select id from chats'),
    link: database.prepare('update chats set origin = ? where id = ?'),
    titled: database.prepare('select id, title from chats where id = ?'),
    next: database.prepare('select id, title from chats where origin = ? order by at desc limit 1'),
    root: database.prepare(
      `select ${COLUMNS} from messages m where m.chat = ? and m.parent is null order by m.id limit 1`,
    ),
    add: database.prepare(
      'insert into messages (chat, parent, role, parts, status, model, at) values (?, ?, ?, ?, ?, ?, ?)',
    ),
    write: database.prepare('update messages set parts = ?, status = ?, fault = ?, model = ? where id = ?'),
    kept: database.prepare('select kept from messages where id = ?'),
    keep: database.prepare('update messages set kept = ? where id = ?'),
    message: database.prepare(`select ${COLUMNS} from messages m where m.chat = ? and m.id = ?`),
    path: database.prepare(`
      with recursive path (id, parent, depth) as (
        select id, parent, 1 from messages where chat = :chat and id = :from
        union all
        select m.id, m.parent, depth + 1 from messages m join path on m.id = path.parent where depth < :max
      )
      select ${COLUMNS} from path join messages m on m.id = path.id order by depth desc`),
    ids: database.prepare(`
      with recursive path (id, parent, depth) as (
        select id, parent, 1 from messages where chat = :chat and id = :from
        union all
        select m.id, m.parent, depth + 1 from messages m join path on m.id = path.parent
      )
      select id from path order by depth desc`),
    leaf: database.prepare(`
      with recursive below (id) as (
        select :message union all select m.id from messages m join below on m.parent = below.id where m.chat = :chat
      )
      select max(id) as id from below`),
    prompt: database.prepare('select text from prompts where project = ?'),
    savePrompt: database.prepare('insert or replace into prompts (project, text) values (?, ?)'),
  };
}

const full = (message: string): HttpError => new HttpError(422, 'too-many', message);

export type Conversations = ReturnType<typeof createConversations>;

/** The conversations in a database: each is a tree of messages and the shown leaf. Each change is one transaction. */
export function createConversations(database: DatabaseSync, now: () => Date) {
  const sql = statementsOf(database);
  const at = () => now().toISOString();

  function get(id: string): Chat {
    const row = sql.get.get(id) as ChatRow | undefined;
    if (!row) throw notFound('Conversation not found.');
    return chatOf(row);
  }
  function change(id: string, changes: Partial<Omit<Chat, 'id' | 'project'>>): Chat {
    const next = { ...get(id), ...changes };
    const model = next.model === null ? null : JSON.stringify(next.model);
    const lists = [next.off, next.params ?? {}].map((list) => JSON.stringify(list));
    const flags = [next.pinned, next.archived].map(Number);
    sql.update.run(next.title, model, ...lists, next.head, ...flags, next.at, id);
    return next;
  }
  function message(chat: string, id: number): ChatMessage {
    const row = sql.message.get(chat, id) as MessageRow | undefined;
    if (!row) throw notFound('Message not found.');
    return messageOf(row);
  }
  function create(id: string, project: string, model: ModelRef | null): Chat {
    if (Number(sql.count.get()?.chats) >= MAX_CHATS)
      throw full(`There are ${MAX_CHATS} conversations. Delete some first.`);
    sql.create.run(id, project, '', model === null ? null : JSON.stringify(model), at());
    return get(id);
  }
  /** Stores a message after another one, and shows it. */
  function add(
    chat: string,
    parent: number | null,
    role: ChatMessage['role'],
    { parts, status, model }: Written,
  ) {
    if (Number(sql.size.get(chat)?.size) >= MAX_MESSAGES)
      throw full(`This conversation has ${MAX_MESSAGES} messages. Start a new one.`);
    if (parent !== null) message(chat, parent);
    const added = sql.add.run(chat, parent, role, JSON.stringify(parts), status, model, at());
    const id = Number(added.lastInsertRowid);
    change(chat, { head: id, at: at() });
    return message(chat, id);
  }
  /** Deleted content leaves the write-ahead log too. */
  const purge = (): void => database.exec('pragma wal_checkpoint(truncate)');
  const path = (chat: string, from: number | null, max: number): ChatMessage[] =>
    from === null ? [] : (sql.path.all({ chat, from, max }) as unknown as MessageRow[]).map(messageOf);

  return {
    get,
    message,
    change: (id: string, changes: Partial<Omit<Chat, 'id' | 'project' | 'head' | 'at'>>) =>
      change(id, changes),
    create,
    remove(id: string): void {
      get(id);
      sql.remove.run(id);
      purge();
    },
    purge,
    add,
    write(id: number, { parts, status, fault, model }: Written): void {
      const faultJson = fault === null ? null : JSON.stringify(fault);
      sql.write.run(JSON.stringify(parts), status, faultJson, model, id);
    },
    /** What the model of an answer wants back; null if it wants nothing. */
    kept(id: number): KeptAnswer | null {
      const kept = sql.kept.get(id)?.kept ?? null;
      return kept === null ? null : (JSON.parse(String(kept)) as KeptAnswer);
    },
    keep(id: number, kept: KeptAnswer | null): void {
      sql.keep.run(kept && JSON.stringify(kept), id);
    },
    /** The newest messages of the shown branch, or those before one of them. */
    page(chat: string, before?: number): { messages: ChatMessage[]; more: boolean } {
      const from = before === undefined ? get(chat).head : message(chat, before).parent;
      const messages = path(chat, from, PAGE);
      return { messages, more: messages[0] !== undefined && messages[0].parent !== null };
    },
    /** The messages around one of the shown branch; null where it is on another. */
    around(chat: string, id: number): { messages: ChatMessage[]; more: boolean; newer: boolean } | null {
      const ids = sql.ids.all({ chat, from: get(chat).head }).map((row) => Number(row.id));
      const at = ids.indexOf(id);
      if (at < 0) return null;
      const [first, end] = [Math.max(0, at - EARLIER), Math.min(ids.length, at + PAGE)];
      const messages = path(chat, ids[end - 1] ?? null, end - first);
      return { messages, more: first > 0, newer: end < ids.length };
    },
    /** The path from the root to a message, including it. */
    before: (chat: string, id: number | null, max = MAX_SENT): ChatMessage[] => path(chat, id, max),
    select(chat: string, id: number): void {
      message(chat, id);
      change(chat, { head: Number(sql.leaf.get({ chat, message: id })?.id) });
    },
    /** Sets the title that a person wrote. An empty one is none. */
    title(chat: string, text: string): void {
      const title = cleanLine(text, MAX_TITLE);
      sql.rename.run(title, Number(title !== ''), get(chat).id);
    },
    /** Sets a title that no person wrote, in place of another such one. @returns whether it did */
    nameFirst: (chat: string, text: string, before: string): boolean =>
      sql.nameFirst.run(cleanLine(text, MAX_TITLE), chat, before).changes > 0,
    /** Creates a conversation that continues another one, with its settings and a first message. */
    continueFrom(id: string, from: Chat, parts: readonly ChatPart[]): Chat {
      return inTransaction(database, () => {
        create(id, from.project, from.model);
        change(id, { title: from.title, off: from.off, params: from.params });
        sql.link.run(from.id, id);
        add(id, null, 'user', { parts, status: 'done', fault: null, model: null });
        return get(id);
      });
    },
    /** The ids of all conversations. */
    ids: (): string[] => sql.all.all().map((row) => String(row.id)),
    /** The conversation that this one continues, and the last one that continues it; null where there is none. */
    linked(id: string): { from: LinkedChat | null; next: LinkedChat | null } {
      const of = (row: unknown) => (row ? ({ ...row } as LinkedChat) : null);
      return { from: of(sql.titled.get(get(id).origin)), next: of(sql.next.get(id)) };
    },
    /** The first message of a conversation; null where it has none. */
    root(chat: string): ChatMessage | null {
      const row = sql.root.get(chat) as MessageRow | undefined;
      return row ? messageOf(row) : null;
    },
    prompt: (project: string): string => String(sql.prompt.get(project)?.text ?? ''),
    savePrompt(project: string, text: string): void {
      sql.savePrompt.run(project, text);
    },
    everything: (chat: string): ChatMessage[] => path(chat, get(chat).head, MAX_MESSAGES),
  };
}
