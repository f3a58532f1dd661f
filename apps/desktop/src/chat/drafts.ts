import type { DatabaseSync } from 'node:sqlite';
import { guarded } from '@svc/contracts/guarded';
import type { PanelFile } from '@svc/runtime';
import { inTransaction } from '@svc/runtime/parts';
import type { PageEvents } from '../events/page-events.ts';
import { HttpError } from '../http/exchange.ts';
import type { ChatFile, ChatMessage, ChatStatus } from '../wire/chat.ts';
import type { Conversations } from './chat-database.ts';
import type { Draft } from './turn.ts';

/** How often a streamed answer is written to disk, in milliseconds. */
const FLUSH_MS = 500;

type Deps = {
  chat: string;
  message: ChatMessage;
  conversations: Pick<Conversations, 'write'>;
  events: Pick<PageEvents, 'emit'>;
  /** Returns the revision of the next change. */
  nextRev(): number;
  /** Receives an error of a write to disk. The answer goes on, and its next change is written again. */
  onFault(error: unknown): void;
};

export type OpenDraft = Draft & { end(status: ChatStatus, fault: ChatMessage['fault']): void };

/** Creates an answer in progress. Pages are notified immediately; the disk is written twice a second. */
export function createDraft({ chat, message: first, conversations, events, nextRev, onFault }: Deps) {
  let message: ChatMessage = { ...first, status: 'running', fault: null };
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    conversations.write(message.id, message);
  }
  const flushSoon = () => {
    timer ??= setTimeout(guarded(flush, onFault), FLUSH_MS);
  };
  const emitMessage = () => events.emit({ type: 'chat-message', chat, rev: nextRev(), message });

  const draft: OpenDraft = {
    get message() {
      return message;
    },
    set(changes) {
      message = { ...message, ...changes };
      emitMessage();
      flushSoon();
    },
    append(type, step, text) {
      const at = message.parts.length - 1;
      const last = message.parts[at];
      if (last?.type !== type || last.step !== step) {
        draft.set({ parts: [...message.parts, { type, step, text }] });
        return;
      }
      message = { ...message, parts: message.parts.with(at, { ...last, text: last.text + text }) };
      const position = { chat, message: message.id, part: at };
      events.emit({ type: 'chat-text', ...position, rev: nextRev(), text });
      flushSoon();
    },
    save: guarded(flush, onFault),
    end(status, fault) {
      message = { ...message, status, fault };
      try {
        flush();
      } finally {
        emitMessage();
      }
    },
  };
  draft.set({});
  return draft;
}

/** Most drafts; the oldest are dropped first. */
const MAX_DRAFTS = 500;
/** Largest total size of the files of all drafts, in bytes. */
const MAX_TOTAL = 1024 * 1024 * 1024;

/** Where a draft belongs: to a conversation, or to a new one of a project. */
type DraftPlace = { project: string; chat?: string };

/** The content of a draft. `after` is the message that an edit follows. */
type KeptDraft = { text: string; files: ChatFile[]; after?: number | null };

const idOf = ({ project, chat }: DraftPlace): string =>
  chat === undefined ? `project ${project}` : `chat ${chat}`;

type FileRow = { id: string; name: string; type: string; size: number };

/** What the user wrote and attached without sending it, so that it survives leaving, a reload and a crash. */
export function createDrafts(database: DatabaseSync, now: () => Date) {
  const get = database.prepare('select text, after from drafts where id = ?');
  const put = database.prepare(`insert into drafts (id, text, after, at) values (?, ?, ?, ?)
    on conflict (id) do update set text = excluded.text, after = excluded.after, at = excluded.at`);
  const remove = database.prepare('delete from drafts where id = ?');
  const dropOld = database.prepare(
    'delete from drafts where id not in (select id from drafts order by at desc limit ?)',
  );
  const list = database.prepare(
    'select id, name, type, length(bytes) as size from draft_files where draft = ? order by rowid',
  );
  const find = database.prepare('select name, type, bytes from draft_files where id = ?');
  const add = database.prepare(
    'insert or ignore into draft_files (id, draft, name, type, bytes) values (?, ?, ?, ?, ?)',
  );
  const dropFile = database.prepare('delete from draft_files where id = ?');
  const total = database.prepare('select coalesce(sum(length(bytes)), 0) as total from draft_files');

  const filesOf = (draft: string): ChatFile[] =>
    (list.all(draft) as unknown as FileRow[]).map(({ size, ...file }) => ({
      ...file,
      bytes: size,
      appId: null,
    }));

  function write(
    place: DraftPlace,
    { text, files, after }: Omit<KeptDraft, 'files'> & { files: string[] },
    upload: (id: string) => PanelFile,
  ): void {
    const id = idOf(place);
    put.run(id, text, after === undefined ? null : JSON.stringify(after), now().toISOString());
    const kept = filesOf(id);
    for (const file of kept) if (!files.includes(file.id)) dropFile.run(file.id);
    for (const file of files.filter((one) => !kept.some((other) => other.id === one))) {
      const { name, type, bytes } = upload(file);
      if (Number(total.get()?.total) + bytes.byteLength > MAX_TOTAL)
        throw new HttpError(422, 'too-large', 'The files of all drafts use the maximum of 1 GiB.');
      add.run(file, id, name, type, bytes);
    }
    dropOld.run(MAX_DRAFTS);
  }

  return {
    read(place: DraftPlace): KeptDraft {
      const id = idOf(place);
      const row = get.get(id);
      if (!row) return { text: '', files: [] };
      const after = row.after === null ? {} : { after: JSON.parse(String(row.after)) as number | null };
      return { text: String(row.text), files: filesOf(id), ...after };
    },
    /** @param upload returns an uploaded file, for one that the draft does not have yet */
    save(
      place: DraftPlace,
      draft: Omit<KeptDraft, 'files'> & { files: string[] },
      upload: (id: string) => PanelFile,
    ): void {
      if (draft.text === '' && draft.files.length === 0) {
        remove.run(idOf(place));
        return;
      }
      inTransaction(database, () => write(place, draft, upload));
    },
    remove(place: DraftPlace): void {
      remove.run(idOf(place));
    },
    /** A file of a draft; null if no draft has it. */
    file(id: string): PanelFile | null {
      const row = find.get(id);
      return row ? { name: String(row.name), type: String(row.type), bytes: row.bytes as Uint8Array } : null;
    },
  };
}
