import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { packBundle } from '@svc/bundle';
import { safeName } from '@svc/runtime/parts';
import { HttpError } from '../../http/exchange.ts';
import type { ChatPart } from '../../wire/chat.ts';
import type { Attachments, Content } from '../attachments.ts';
import type { Conversations } from '../chat-database.ts';
import { exportMarkdown } from '../export-markdown.ts';
import { OWN_FORM } from './read-conversations.ts';

/** Largest archive, in bytes. Files that would go beyond it are left out, and named as such. */
const MAX_ARCHIVE = 500 * 1024 * 1024;

type Row = {
  id: number;
  parent: number | null;
  role: string;
  parts: string;
  model: string | null;
  at: string;
};

/** A message as others read it: without what its provider keeps in it, and without thoughts. */
function messageOf({ parts: json, ...row }: Row, place: (id: string, name: string) => string | null) {
  const parts = JSON.parse(json) as ChatPart[];
  const text = parts
    .flatMap((part) => (part.type === 'text' || part.type === 'summary' ? [part.text] : []))
    .join('\n\n');
  const files = parts.flatMap((part) =>
    part.type === 'file' ? [part.file] : part.type === 'call' ? part.call.files : [],
  );
  const calls = parts.flatMap((part) => (part.type === 'call' ? [part.call] : []));
  return {
    ...{ ...row, text },
    ...(files.length > 0 && {
      files: files.map(({ id, name, type }) => ({ name, type, path: place(id, name) })),
    }),
    ...(calls.length > 0 && {
      calls: calls.map(({ app, tool, arguments: given, state, text: said }) => ({
        app,
        tool,
        arguments: given,
        state,
        text: said,
      })),
    }),
  };
}

/** Exports all conversations as one archive: `conversations.json` with every branch, the shown branch of each as Markdown, and their files. */
export function createExport(database: DatabaseSync, conversations: Conversations, attachments: Attachments) {
  const ids = database.prepare('select id from chats order by at desc');
  const messages = database.prepare(
    'select id, parent, role, parts, model, at from messages where chat = ? order by id',
  );
  return async (): Promise<Content> => {
    const entries = new Map<string, Uint8Array>();
    let size = 0;
    const put = (path: string, bytes: Uint8Array): boolean => {
      if (size + bytes.byteLength > MAX_ARCHIVE) return false;
      size += entries.has(path) ? 0 : bytes.byteLength;
      entries.set(path, bytes);
      return true;
    };
    const need = (path: string, text: string) => {
      if (!put(path, Buffer.from(text)))
        throw new HttpError(
          422,
          'too-large',
          'The conversations are larger than 500 MB. Export them one by one.',
        );
    };
    const place = (id: string, name: string): string | null => {
      const path = `files/${id}/${safeName(name)}`;
      return put(path, attachments.read(id).bytes) ? path : null;
    };
    const placeIfKept = (id: string, name: string): string | null => {
      try {
        return place(id, name);
      } catch {
        // A file of an app, or of a message that was deleted.
        return null;
      }
    };
    const chats: string[] = [];
    for (const [n, { id }] of ids.all().entries()) {
      const { title, project, at, model, head } = conversations.get(String(id));
      const said = (messages.all(String(id)) as unknown as Row[]).map((row) => messageOf(row, placeIfKept));
      chats.push(JSON.stringify({ id, title, project, at, model, shown: head, messages: said }));
      const name = `${String(n + 1).padStart(4, '0')} ${title || 'conversation'}.md`;
      need(`markdown/${safeName(name)}`, exportMarkdown(title, conversations.everything(String(id))));
      // Answers go on meanwhile.
      await setImmediate();
    }
    need(
      'conversations.json',
      `{"format":${JSON.stringify(OWN_FORM)},"conversations":[\n${chats.join(',\n')}\n]}\n`,
    );
    return {
      name: 'conversations.zip',
      type: 'application/zip',
      bytes: packBundle(entries, { stored: true }),
    };
  };
}
