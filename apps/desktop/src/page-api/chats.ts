import { safeName } from '@svc/runtime/parts';
import { z } from 'zod';
import { MAX_CHATS, MAX_TITLE } from '../chat/chat-database.ts';
import { ModelError } from '../chat/model-fault.ts';
import { MAX_MESSAGE_FILES, MAX_TEXT } from '../wire/limits.ts';
import { AppId, call, Id, type PageParts } from './page-call.ts';

const MAX_PROMPT = 40_000;

const Model = z.strictObject({ provider: Id, model: z.string().min(1).max(300) });
const MessageId = z.number().int().positive();
const OneChat = z.strictObject({ chat: Id });
const OneMessage = z.strictObject({ chat: Id, message: MessageId });

const Params = z.strictObject({
  temperature: z.exactOptional(z.number().min(0).max(2)),
  maxTokens: z.exactOptional(z.number().int().min(1).max(1_000_000)),
  pictures: z.exactOptional(z.boolean()),
});
const SentFile = z.strictObject({ id: Id, shown: z.boolean(), text: z.string().max(MAX_TEXT).nullable() });
const Place = z.strictObject({ project: Id, chat: z.exactOptional(Id) });

export function chatCalls({ chats, uploads }: PageParts) {
  return {
    'chats.list': call(
      z.strictObject({
        project: Id,
        q: z.exactOptional(z.string().max(200)),
        archived: z.exactOptional(z.boolean()),
        limit: z.exactOptional(z.number().int().min(1).max(MAX_CHATS)),
      }),
      (query) => chats.list(query),
    ),
    /** `at` is a message that a search found. */
    'chats.open': call(
      z.strictObject({ chat: Id, before: z.exactOptional(MessageId), at: z.exactOptional(MessageId) }),
      ({ chat, before, at }) => (at === undefined ? chats.open(chat, before) : chats.openAt(chat, at)),
    ),
    /** A temporary conversation is only in memory. */
    'chats.create': call(
      z.strictObject({ project: Id, temporary: z.exactOptional(z.boolean()) }),
      ({ project, temporary }) => ({ chat: chats.create(project, temporary) }),
    ),
    'chats.change': call(
      z.strictObject({
        chat: Id,
        title: z.exactOptional(z.string().max(MAX_TITLE)),
        model: z.exactOptional(Model),
        off: z.exactOptional(z.array(AppId).max(1_000)),
        params: z.exactOptional(Params),
        pinned: z.exactOptional(z.boolean()),
        archived: z.exactOptional(z.boolean()),
      }),
      ({ chat, title, ...changes }) => {
        if (title !== undefined) chats.in(chat).conversations.title(chat, title);
        return { chat: chats.change(chat, changes) };
      },
    ),
    'chats.remove': call(OneChat, ({ chat }) => chats.remove(chat)),
    /** Deletes what a message says, also its files. Its place in the conversation stays. */
    'chats.removeMessage': call(OneMessage, ({ chat, message }) => chats.removeMessage(chat, message)),
    /**
     * Sends a message. The model receives the content of files that are `shown`: images, and others as `text`. `after` starts a branch after a
     * message; null is the start.
     */
    'chats.send': call(
      z.strictObject({
        chat: Id,
        text: z.string().max(MAX_TEXT),
        files: z.array(SentFile).max(MAX_MESSAGE_FILES),
        after: z.exactOptional(MessageId.nullable()),
      }),
      ({ chat, files, ...sent }, { session }) => ({
        message: chats.send(chat, {
          ...sent,
          files: files.map(({ id, ...file }) => ({
            ...file,
            file: chats.draftFile(id) ?? uploads.get(session, id),
          })),
        }),
      }),
    ),
    /** What the user wrote and attached without sending it, in a conversation or for a new one. */
    'chats.draft': call(Place, (place) => ({ draft: chats.in(place.chat).drafts.read(place) })),
    /** Files are ids of `POST /uploads`, or of the draft. */
    'chats.saveDraft': call(
      Place.extend({
        text: z.string().max(MAX_TEXT),
        files: z.array(Id).max(MAX_MESSAGE_FILES),
        after: z.exactOptional(MessageId.nullable()),
      }),
      ({ project, chat, ...draft }, { session }) => {
        // The draft of a conversation that was deleted meanwhile is dropped.
        const { conversations, drafts } = chats.in(chat);
        if (chat !== undefined) conversations.get(chat);
        const place = { project, ...(chat !== undefined && { chat }) };
        drafts.save(place, draft, (id) => chats.draftFile(id) ?? uploads.get(session, id));
      },
    ),
    /** Requests another answer. A given model answers the next messages too. */
    'chats.retry': call(OneMessage.extend({ model: z.exactOptional(Model) }), ({ chat, message, model }) =>
      chats.retry(chat, message, model),
    ),
    /** Makes a call of an answer once more, and has the model answer again from there, as a branch. */
    'chats.retryCall': call(
      z.strictObject({ chat: Id, message: MessageId, call: Id }),
      ({ chat, message, call }) => chats.retryCall(chat, message, call),
    ),
    /** Continues an answer that reached the step limit. */
    'chats.continue': call(OneMessage, ({ chat, message }) => chats.continue(chat, message)),
    'chats.stop': call(OneChat, ({ chat }) => chats.stop(chat)),
    /** Stops one call of a running answer, which continues with a refusal. Has no effect on a finished call. */
    'chats.stopCall': call(z.strictObject({ chat: Id, call: Id }), ({ chat, call }) =>
      chats.stopCall(chat, call),
    ),
    /** Shows the branch of a message. */
    'chats.select': call(OneMessage, ({ chat, message }) => chats.select(chat, message)),
    /** Has the model of a conversation summarise it. `chat` is a new one that begins with the summary; null where the model did not answer. */
    'chats.summarise': call(OneChat, async ({ chat }, { signal }) => {
      try {
        return { chat: await chats.summarise(chat, signal), fault: null };
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        return { chat: null, fault: { code: error.code, message: error.message } };
      }
    }),
    'chats.export': call(OneChat, ({ chat }) => {
      const { title, markdown } = chats.exportOne(chat);
      return { name: safeName(`${title || 'conversation'}.md`), markdown };
    }),
    /** Imports conversations of another client, or of an export of our own. `file` is an id of `POST /uploads`. */
    'chats.import': call(z.strictObject({ project: Id, file: Id }), ({ project, file }, { session }) =>
      chats.import(project, uploads.get(session, file)),
    ),
    /** Conversations of the import in which something was written since stay. */
    'chats.undoImport': call(z.strictObject({ import: Id }), ({ import: id }) => ({
      removed: chats.undoImport(id),
    })),
    'chats.prompt': call(z.strictObject({ project: Id }), ({ project }) => ({
      text: chats.in(undefined).conversations.prompt(project),
    })),
    'chats.savePrompt': call(
      z.strictObject({ project: Id, text: z.string().max(MAX_PROMPT) }),
      ({ project, text }) => chats.in(undefined).conversations.savePrompt(project, text),
    ),
  };
}
