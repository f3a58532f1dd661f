import type { DatabaseSync } from 'node:sqlite';
import { type PanelFile, type Runtime, RuntimeError } from '@svc/runtime';
import { HttpError } from '../http/exchange.ts';
import type { ChatFile, ChatMessage } from '../wire/chat.ts';

/** Largest total size of all attachments, in bytes. */
const MAX_TOTAL = 1024 * 1024 * 1024;

export type Content = { name: string; type: string; bytes: Uint8Array };

const unknown = (): RuntimeError =>
  new RuntimeError('unknown-file', 'There is no file with this id in the conversation.');

export type Attachments = ReturnType<typeof createAttachments>;

/** Files attached to conversations. They are deleted with their conversation. */
export function createAttachments(database: DatabaseSync, newId: () => string) {
  const insert = database.prepare(
    'insert into attachments (id, chat, name, type, bytes) values (?, ?, ?, ?, ?)',
  );
  const total = database.prepare('select coalesce(sum(length(bytes)), 0) as total from attachments');
  const insertText = database.prepare('insert into attachment_texts (id, text) values (?, ?)');
  const findText = database.prepare('select text from attachment_texts where id = ?');
  const find = database.prepare('select name, type, bytes from attachments where id = ?');
  return {
    /** @param text its text for the model, of a file that is no image */
    add(chat: string, { name, type, bytes }: PanelFile, text: string | null): ChatFile {
      if (Number(total.get()?.total) + bytes.byteLength > MAX_TOTAL)
        throw new HttpError(
          422,
          'too-large',
          'Attachments use the maximum of 1 GiB. Delete conversations first.',
        );
      const id = newId();
      insert.run(id, chat, name, type, bytes);
      if (text !== null) insertText.run(id, text);
      return { id, name, type, bytes: bytes.byteLength, appId: null };
    },
    /** The text of a file that the user shows to the model; null without one. */
    text: (id: string): string | null => (findText.get(id)?.text as string | undefined) ?? null,
    /** @throws RuntimeError `unknown-file` */
    read(id: string): Content {
      const row = find.get(id);
      if (!row) throw unknown();
      return { name: String(row.name), type: String(row.type), bytes: row.bytes as Uint8Array };
    },
  };
}

/** The files of a conversation, by the ids in the prompt. */
export function filesIn(messages: readonly ChatMessage[]): Map<string, ChatFile> {
  const files = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type === 'file') return [part.file];
      return part.type === 'call' ? part.call.files : [];
    }),
  );
  return new Map(files.map((file) => [file.id, file]));
}

/** Reads a file of a conversation. @throws RuntimeError `unknown-file` */
export async function readChatFile(
  { attachments, runtime }: { attachments: Attachments; runtime: Pick<Runtime, 'files'> },
  files: ReadonlyMap<string, ChatFile>,
  id: string,
  project: string,
): Promise<Content> {
  const file = files.get(id);
  if (!file) throw unknown();
  if (file.appId === null) return attachments.read(id);
  const { content, ...kept } = await runtime.files.read(file.appId, id, { project });
  return { name: kept.name, type: kept.type, bytes: content };
}
