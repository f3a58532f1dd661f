import type { DatabaseSync } from 'node:sqlite';
import { openBundle } from '@svc/bundle';
import type { PanelFile } from '@svc/runtime';
import { inTransaction } from '@svc/runtime/parts';
import { cleanLine } from '@svc/text';
import { HttpError } from '../../http/exchange.ts';
import type { ImportResult, ModelRef } from '../../wire/chat.ts';
import { MAX_TEXT } from '../../wire/limits.ts';
import { MAX_CHATS, MAX_MESSAGES, MAX_TITLE } from '../chat-database.ts';
import { type ForeignChat, type Reading, readConversations } from './read-conversations.ts';

/** Limits of an archive, of which only the conversations are inflated, and of their file. */
const ARCHIVE = { entries: 60_000, inflatedBytes: 4 * 1024 ** 3 };
const MAX_JSON = 200 * 1024 * 1024;

/** Files of conversations in an archive, in whichever folder. */
const CONVERSATIONS = /(?:^|\/)conversations(?:-\d+)?\.json$/;

const refused = (message: string): HttpError => new HttpError(422, 'unreadable', message);

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw refused('The file is no JSON: choose a conversations.json, or the archive that contains it.');
  }
}

/** The JSON files of an export: of an archive those with conversations, else the file itself. */
function jsonsOf(bytes: Uint8Array): unknown[] {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return [jsonIn(bytes)];
  const archive = openBundle(bytes, ARCHIVE);
  if (!archive.ok)
    throw refused(
      `The archive cannot be read: ${archive.issues[0]?.message ?? ''} Or unpack it, and choose its conversations.json.`,
    );
  const paths = [...archive.sizes.keys()].filter((path) => CONVERSATIONS.test(path));
  const total = paths.reduce((sum, path) => sum + (archive.sizes.get(path) ?? 0), 0);
  if (paths.length === 0) throw refused('The archive has no conversations.json.');
  if (total > MAX_JSON)
    throw refused(`The conversations of the archive have more than ${MAX_JSON / 1024 ** 2} MB.`);
  return paths.map((path) => {
    const reading = archive.read(path);
    if (!reading.ok) throw refused(reading.issues[0]?.message ?? '');
    return jsonIn(reading.entries.get(path) ?? new Uint8Array());
  });
}

/** All conversations of an exported file. @throws HttpError 422 `unreadable` */
function readExport({ bytes }: Pick<PanelFile, 'bytes'>): Reading {
  const readings = jsonsOf(bytes).flatMap((json) => readConversations(json) ?? []);
  const [first] = readings;
  if (!first) throw refused('The file is no export of ChatGPT, Claude, LibreChat or svc.');
  return {
    from: first.from,
    chats: readings.flatMap(({ chats }) => chats),
    unread: readings.reduce((sum, { unread }) => sum + unread, 0),
  };
}

/** Where imported conversations go: a project, the model that continues them, and the id of the import. */
type Into = { project: string; model: ModelRef | null; id: string };

/** Imports exported conversations as one change, which can be undone. */
export function createImports(database: DatabaseSync, newId: () => string, now: () => Date) {
  const known = database.prepare('select 1 from chats where project = ? and source = ?');
  const count = database.prepare('select count(*) as chats from chats');
  const addChat = database.prepare(
    'insert into chats (id, project, title, model, at, source, import) values (?, ?, ?, ?, ?, ?, ?)',
  );
  const addMessage = database.prepare(
    `insert into messages (chat, parent, role, parts, status, model, at) values (?, ?, ?, ?, 'done', ?, ?)`,
  );
  const show = database.prepare('update chats set head = ? where id = ?');
  // What was written since in one of them is not lost by undoing.
  const undo = database.prepare(`delete from chats where import = :import and not exists (
    select 1 from messages where messages.chat = chats.id and messages.id > chats.imported)`);
  const seal = database.prepare(
    'update chats set imported = (select max(id) from messages where chat = chats.id) where id = ?',
  );

  function add(
    { project, model: chosen, id }: Into,
    { messages, title, at, shown, id: source }: ForeignChat,
  ): void {
    const chat = newId();
    const time = now().toISOString();
    addChat.run(
      chat,
      project,
      cleanLine(title, MAX_TITLE),
      chosen && JSON.stringify(chosen),
      at ?? time,
      source,
      id,
    );
    const ids: number[] = [];
    for (const { role, text, model, at: said, after } of messages.slice(0, MAX_MESSAGES)) {
      const parts = JSON.stringify([{ type: 'text', step: 0, text: text.slice(0, MAX_TEXT) }]);
      const parent = after === null ? null : (ids[after] ?? null);
      const name = model === null ? null : cleanLine(model, MAX_TITLE);
      ids.push(Number(addMessage.run(chat, parent, role, parts, name, said ?? at ?? time).lastInsertRowid));
    }
    show.run(ids[shown ?? -1] ?? ids.at(-1) ?? null, chat);
    seal.run(chat);
  }

  return {
    /** @throws HttpError 422 `unreadable`, `too-many` */
    add(into: Omit<Into, 'id'>, file: Pick<PanelFile, 'bytes'>): ImportResult {
      const { from, chats, unread } = readExport(file);
      const id = newId();
      let added = 0;
      inTransaction(database, () => {
        for (const chat of chats) {
          if (known.get(into.project, chat.id) !== undefined) continue;
          add({ ...into, id }, chat);
          added += 1;
        }
        if (Number(count.get()?.chats) > MAX_CHATS)
          throw new HttpError(422, 'too-many', `There can be ${MAX_CHATS} conversations. Delete some first.`);
      });
      return { id, from, added, known: chats.length - added, unread };
    },
    /** Deletes the conversations of an import in which nothing was written since. @returns how many */
    undo: (id: string): number => Number(undo.run({ import: id }).changes),
  };
}
