import type { DatabaseSync } from 'node:sqlite';
import { type PanelFile, RuntimeError } from '@svc/runtime';
import { HttpError } from '../http/exchange.ts';
import type { ChatFile } from '../wire/chat.ts';

const MIB = 1024 * 1024;

/** Largest total size of all attachments of stored conversations, in bytes. */
const MAX_TOTAL = 1024 * MIB;

export type Content = { name: string; type: string; bytes: Uint8Array };

/** The error for a file that a conversation does not have. */
export const unknownFile = (): RuntimeError =>
  new RuntimeError('unknown-file', 'There is no file with this id in the conversation.');

export type Attachments = ReturnType<typeof createAttachments>;

/** Files attached to conversations. They are deleted with their conversation. */
export function createAttachments(database: DatabaseSync, newId: () => string, maxTotal = MAX_TOTAL) {
  const insert = database.prepare(
    'insert into attachments (id, chat, name, type, bytes) values (?, ?, ?, ?, ?)',
  );
  const total = database.prepare('select coalesce(sum(length(bytes)), 0) as total from attachments');
  const remove = database.prepare('delete from attachments where id = ?');
  const insertText = database.prepare('insert into attachment_texts (id, text) values (?, ?)');
  const findText = database.prepare('select text from attachment_texts where id = ?');
  const find = database.prepare('select name, type, bytes from attachments where id = ?');
  return {
    /** @param text its text for the model, of a file that is no image */
    add(chat: string, { name, type, bytes }: PanelFile, text: string | null): ChatFile {
      if (Number(total.get()?.total) + bytes.byteLength > maxTotal)
        throw new HttpError(
          422,
          'too-large',
          `Attachments use the maximum of ${maxTotal / MIB} MiB. Delete conversations first.`,
        );
      const id = newId();
      insert.run(id, chat, name, type, bytes);
      if (text !== null) insertText.run(id, text);
      return { id, name, type, bytes: bytes.byteLength, appId: null };
    },
    remove(id: string): void {
      remove.run(id);
    },
    /** The text of a file that the user shows to the model; null without one. */
    text: (id: string): string | null => (findText.get(id)?.text as string | undefined) ?? null,
    /** @throws RuntimeError `unknown-file` */
    read(id: string): Content {
      const row = find.get(id);
      if (!row) throw unknownFile();
      return { name: String(row.name), type: String(row.type), bytes: row.bytes as Uint8Array };
    },
  };
}
