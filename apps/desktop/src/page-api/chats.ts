import { safeName } from '@svc/runtime/parts';
import { z } from 'zod';
import { MAX_TITLE } from '../chat/conversations.ts';
import { exportMarkdown } from '../chat/export-markdown.ts';
import { MAX_MESSAGE_FILES, MAX_TEXT } from '../wire/limits.ts';
import { AppId, type CallsOf, Id, type PageParts } from './page-call.ts';

const MAX_PROMPT = 40_000;

const Model = z.strictObject({ provider: Id, model: z.string().min(1).max(300) });
const MessageId = z.number().int().positive();
const OneChat = z.strictObject({ chat: Id });
const OneMessage = z.strictObject({ chat: Id, message: MessageId });

const Params = z.strictObject({
  temperature: z.exactOptional(z.number().min(0).max(2)),
  maxTokens: z.exactOptional(z.number().int().min(1).max(1_000_000)),
});
const SentFile = z.strictObject({ id: Id, shown: z.boolean(), text: z.string().max(MAX_TEXT).nullable() });
const Place = z.strictObject({ project: Id, chat: z.exactOptional(Id) });

export function chatCalls({ chats, uploads }: PageParts): CallsOf<'chats'> {
  const { conversations, drafts } = chats;
  return {
    'chats.list': {
      input: z.strictObject({ project: Id, q: z.exactOptional(z.string().max(200)) }),
      answer: ({ project, q }) => ({ chats: chats.viewsOf(conversations.list(project, q)) }),
    },
    'chats.open': {
      input: z.strictObject({ chat: Id, before: z.exactOptional(MessageId) }),
      answer: ({ chat, before }) => chats.open(chat, before),
    },
    'chats.create': {
      input: z.strictObject({ project: Id }),
      answer: ({ project }) => ({ chat: chats.create(project) }),
    },
    'chats.change': {
      input: z.strictObject({
        chat: Id,
        title: z.exactOptional(z.string().max(MAX_TITLE)),
        model: z.exactOptional(Model),
        off: z.exactOptional(z.array(AppId).max(1_000)),
        params: z.exactOptional(Params),
      }),
      answer: ({ chat, title, ...changes }) => {
        if (title !== undefined) conversations.title(chat, title);
        return { chat: chats.change(chat, changes) };
      },
    },
    'chats.remove': {
      input: OneChat,
      answer: ({ chat }) => chats.remove(chat),
    },
    'chats.send': {
      input: z.strictObject({
        chat: Id,
        text: z.string().max(MAX_TEXT),
        files: z.array(SentFile).max(MAX_MESSAGE_FILES),
        after: z.exactOptional(MessageId.nullable()),
      }),
      answer: ({ chat, files, ...sent }, { session }) => ({
        message: chats.send(chat, {
          ...sent,
          files: files.map(({ id, ...file }) => ({
            ...file,
            file: drafts.file(id) ?? uploads.get(session, id),
          })),
        }),
      }),
    },
    'chats.draft': { input: Place, answer: (place) => ({ draft: drafts.read(place) }) },
    'chats.saveDraft': {
      input: Place.extend({
        text: z.string().max(MAX_TEXT),
        files: z.array(Id).max(MAX_MESSAGE_FILES),
        after: z.exactOptional(MessageId.nullable()),
      }),
      answer({ project, chat, ...draft }, { session }) {
        // The draft of a conversation that was deleted meanwhile is dropped.
        if (chat !== undefined) conversations.get(chat);
        const place = { project, ...(chat !== undefined && { chat }) };
        drafts.save(place, draft, (id) => uploads.get(session, id));
      },
    },
    'chats.retry': {
      input: OneMessage,
      answer: ({ chat, message }) => chats.retry(chat, message),
    },
    'chats.retryCall': {
      input: z.strictObject({ chat: Id, message: MessageId, call: Id }),
      answer: ({ chat, message, call }) => chats.retryCall(chat, message, call),
    },
    'chats.continue': {
      input: OneMessage,
      answer: ({ chat, message }) => chats.continue(chat, message),
    },
    'chats.stop': {
      input: OneChat,
      answer: ({ chat }) => chats.stop(chat),
    },
    'chats.stopCall': {
      input: z.strictObject({ chat: Id, call: Id }),
      answer: ({ chat, call }) => chats.stopCall(chat, call),
    },
    'chats.select': {
      input: OneMessage,
      answer: ({ chat, message }) => chats.select(chat, message),
    },
    'chats.export': {
      input: OneChat,
      answer({ chat }) {
        const { title } = conversations.get(chat);
        return {
          name: safeName(`${title || 'conversation'}.md`),
          markdown: exportMarkdown(title, conversations.everything(chat)),
        };
      },
    },
    'chats.prompt': {
      input: z.strictObject({ project: Id }),
      answer: ({ project }) => ({ text: conversations.prompt(project) }),
    },
    'chats.savePrompt': {
      input: z.strictObject({ project: Id, text: z.string().max(MAX_PROMPT) }),
      answer: ({ project, text }) => conversations.savePrompt(project, text),
    },
  };
}
