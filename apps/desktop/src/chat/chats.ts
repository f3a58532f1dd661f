import { type CallRequest, type PanelFile, refusalOfExport, type System } from '@svc/runtime';
import type { ClientSecrets } from '@svc/runtime/parts';
import type { Desktop } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import { createToolRefresh } from '../gateway/tool-refresh.ts';
import { invalid } from '../http/exchange.ts';
import { rulesOf } from '../rules-of.ts';
import type {
  ChatMatch,
  ChatMessage,
  ChatPart,
  ChatView,
  ImportResult,
  LinkedChat,
  ListedChat,
  ModelRef,
} from '../wire/chat.ts';
import { busy, createAnswers } from './answers.ts';
import type { Content } from './attachments.ts';
import type { Chat } from './chat-database.ts';
import type { ListQuery } from './chat-list.ts';
import { isTemporary, openStores } from './chat-stores.ts';
import { createChatTools } from './chat-tools.ts';
import { exportMarkdown } from './export-markdown.ts';
import { firstSteps } from './kept-step.ts';
import { openProviders, type Providers } from './providers.ts';
import { filesIn } from './run-call.ts';
import { PICTURES } from './shown-files.ts';
import { createSummaries } from './summarise.ts';
import { keepWhileOpen, removeReturned } from './temporary.ts';
import { createTitles, firstTitle } from './titles.ts';
import { createExport } from './transfer/export-all.ts';
import { createImports } from './transfer/import-chats.ts';
import { createWriters } from './writers.ts';

/** Most temporary conversations. */
const MAX_TEMPORARY = 20;

export type ChatDeps = {
  desktop: Desktop;
  events: PageEvents;
  system: System;
  folder: string;
  secrets: ClientSecrets;
  newId(): string;
  onFault(error: unknown): void;
};

/** A message to send. `shown`: the model receives the content of the file, which is `text` unless it is an image. */
export type Sent = {
  text: string;
  files: readonly { file: PanelFile; shown: boolean; text: string | null }[];
  after?: number | null;
};

/** Shown messages, and whether there are earlier or newer ones. */
type ShownPage = { messages: ChatMessage[]; more: boolean; newer?: boolean };

/** What a page shows of a conversation. `linked` are the ones that it continues, and that continue it. */
type Opened = ShownPage & {
  chat: ChatView;
  rev: number;
  linked?: { from: LinkedChat | null; next: LinkedChat | null };
};

/** Conversations with models. */
export type Chats = ReturnType<typeof openChats>;

/** Opens the conversations of a folder. @throws if they cannot be read */
export function openChats({ desktop, events, system, folder, secrets, newId, onFault }: ChatDeps) {
  const now = () => new Date(system.now());
  const stores = openStores(folder, newId, now);
  const { stored, temporary } = stores;
  const writers = createWriters(stored.database, folder, newId());
  const imports = createImports(stored.database, newId, now);
  const providers: Providers = openProviders({
    folder,
    system,
    secrets,
    rules: () => rulesOf(desktop.runtime),
  });
  const refresh = createToolRefresh(desktop.runtime, system, () => undefined);
  const tools = createChatTools(desktop.runtime, refresh);
  /** What pages of apps have the model read beside the next message of a conversation, by app. */
  const informed = new Map<string, Map<string, string>>();

  const viewsOf = (chats: readonly (Chat & { match?: ChatMatch })[]): ListedChat[] => {
    const written = writers.running();
    return chats.map(({ head: _head, origin: _origin, ...chat }) => ({
      ...chat,
      ...(isTemporary(chat.id) && { temporary: true }),
      running: answers.has(chat.id) || written.has(chat.id),
    }));
  };
  const viewOf = (chat: Chat): ChatView => viewsOf([chat])[0] as ChatView;
  const listChanged = () => events.emit({ type: 'chats' });
  const titles = createTitles({ stores, providers, changed: listChanged, onFault });
  const inStore = (id: string) => stores.of(id).conversations;
  const answers = createAnswers({
    ...{ desktop, stores, writers, providers, tools, events, newId, onFault, now: () => system.now() },
    ...{ changed: listChanged, answered: titles.begin },
  });
  const { requireIdle, stop } = answers;
  const summaries = createSummaries({ stores, providers, requireIdle });

  const createArchive = createExport(stored.database, stored.conversations, stored.attachments);
  /** @throws RuntimeError `not-allowed` */
  function requireExport(): void {
    const refused = refusalOfExport(rulesOf(desktop.runtime));
    if (refused) throw refused;
  }

  const draftFile = (id: string) => temporary.drafts.file(id) ?? stored.drafts.file(id);
  /** What pages have the model read, as files that the user sees too. */
  const contextIn = (id: string): Sent['files'] =>
    [...(informed.get(id) ?? [])].map(([app, text]) => ({
      file: { name: `Context of ${app}.txt`, type: 'text/plain', bytes: Buffer.from(text) },
      shown: true,
      text,
    }));

  /** A running answer is returned from memory, not from the database. */
  function withRunning(id: string, page: ShownPage): Opened {
    const written = answers.written(id);
    const messages = page.messages.map((message) =>
      message.id === written?.id ? { ...written, branches: message.branches } : message,
    );
    const conversations = inStore(id);
    return {
      ...{ chat: viewOf(conversations.get(id)), ...page, messages, rev: answers.rev() },
      linked: conversations.linked(id),
    };
  }
  /** The newest shown messages, or those before one of them. */
  const open = (id: string, before?: number) => withRunning(id, inStore(id).page(id, before));

  function select(id: string, message: number): void {
    requireIdle(id);
    inStore(id).select(id, message);
    events.emit({ type: 'chat-path', chat: id });
  }

  async function remove(id: string): Promise<void> {
    await stop(id);
    const { conversations, drafts } = stores.of(id);
    informed.delete(id);
    drafts.remove({ project: '', chat: id });
    if (isTemporary(id)) await removeReturned(desktop.runtime, temporary, id);
    conversations.remove(id);
    listChanged();
  }
  const pagesGone = keepWhileOpen({ events, system, onFault, close: closeTemporary });
  async function closeTemporary(): Promise<void> {
    for (const id of temporary.conversations.ids()) await remove(id);
  }

  return {
    providers,
    viewOf,
    /** Where a conversation is, or the stored ones. */
    in: (id: string | undefined) => (id === undefined ? stored : stores.of(id)),
    /** What the user allowed for conversations. */
    allowances: {
      in: (chat: string): NonNullable<CallRequest['askAlways']> => stores.of(chat).allowances.in(chat),
      list: () => [...temporary.allowances.list(), ...stored.allowances.list()],
      revoke: (chat: string, key: string) => stores.of(chat).allowances.revoke(chat, key),
    },
    /** Lists temporary conversations before the others. They are not archived. */
    list(query: ListQuery): { chats: ListedChat[]; more?: boolean } {
      const open = query.archived ? [] : temporary.list(query).chats;
      const { chats, more } = stored.list(query);
      return { chats: viewsOf([...open, ...chats]), more };
    },
    open,
    /** The messages around one of them, whose branch is shown. `newer` says that the newest are not among them. */
    openAt(id: string, message: number) {
      const shown = inStore(id).around(id, message);
      if (shown) return withRunning(id, shown);
      select(id, message);
      return withRunning(id, inStore(id).around(id, message) ?? inStore(id).page(id));
    },
    stop,
    /** A file of a conversation or a draft. @throws RuntimeError `unknown-file` */
    read: (id: string): Content => draftFile(id) ?? stores.of(id).attachments.read(id),
    draftFile,
    /** @param isTemporary keeps it in memory, until it is closed, the last page is closed, or the program ends */
    create(project: string, isTemporary = false): ChatView {
      const store = isTemporary ? temporary : stored;
      if (isTemporary && store.conversations.ids().length >= MAX_TEMPORARY)
        throw busy(`There are ${MAX_TEMPORARY} temporary chats. Close one first.`);
      const chat = store.conversations.create(store.newId(), project, providers.list().default);
      if (isTemporary) pagesGone.check();
      listChanged();
      return viewOf(chat);
    },
    /** Has the model summarise a conversation, and begins a new one with that. @throws ModelError */
    async summarise(id: string, signal: AbortSignal): Promise<ChatView> {
      const next = await summaries.begin(id, signal);
      listChanged();
      return viewOf(next);
    },
    /** All conversations and their files as an archive. */
    async exportAll(): Promise<Content> {
      requireExport();
      return createArchive();
    },
    /** A conversation as Markdown. @throws RuntimeError `not-allowed` */
    exportOne(id: string): { title: string; markdown: string } {
      requireExport();
      const { conversations } = stores.of(id);
      const { title } = conversations.get(id);
      return { title, markdown: exportMarkdown(title, conversations.everything(id)) };
    },
    import(project: string, file: PanelFile): ImportResult {
      const result = imports.add({ project, model: providers.list().default }, file);
      listChanged();
      return result;
    },
    undoImport(id: string): number {
      const removed = imports.undo(id);
      stored.conversations.purge();
      listChanged();
      return removed;
    },
    /** Changes the model or apps of a conversation, and notifies all pages. */
    change(
      id: string,
      changes: Partial<Pick<Chat, 'model' | 'off' | 'params' | 'pinned' | 'archived'>>,
    ): ChatView {
      const chat = inStore(id).change(id, changes);
      listChanged();
      return viewOf(chat);
    },
    stopCall: answers.stopCall,
    idle: answers.idle,
    /** Has the model read a text of an app beside the next message. A later one of the same app takes its place. */
    inform(id: string, app: string, text: string): void {
      const texts = new Map(informed.get(inStore(id).get(id).id)).set(app, text);
      if (text === '') texts.delete(app);
      informed.set(id, texts);
    },
    /** Stores a message of the user, and begins the answer. */
    send(id: string, { text, files, after }: Sent): number {
      requireIdle(id);
      const { conversations, attachments, drafts } = stores.of(id);
      const { head, title, archived } = conversations.get(id);
      if (text.trim() === '' && files.length === 0) throw invalid('Enter a message or attach a file.');
      const attached = [...files, ...contextIn(id)].map(({ file, shown, text: content }): ChatPart => {
        const reading = shown && !PICTURES.has(file.type) ? content : null;
        const added = attachments.add(id, file, reading);
        const isShown = shown && (reading !== null || PICTURES.has(added.type));
        return {
          type: 'file',
          file: added,
          shown: isShown,
          ...(reading !== null && { chars: reading.length }),
        };
      });
      const parts: ChatPart[] = [
        ...attached,
        ...(text.trim() === '' ? [] : [{ type: 'text' as const, step: 0, text }]),
      ];
      const parent = after === undefined ? head : after;
      const message = conversations.add(id, parent, 'user', {
        parts,
        status: 'done',
        fault: null,
        model: null,
      });
      if (title === '')
        conversations.nameFirst(
          id,
          firstTitle(
            text,
            files.map(({ file }) => file),
          ),
          '',
        );
      if (archived) conversations.change(id, { archived: false });
      drafts.remove({ project: '', chat: id });
      informed.delete(id);
      answers.add(id, message.id);
      return message.id;
    },
    retry(id: string, message: number, model?: ModelRef): void {
      requireIdle(id);
      const conversations = inStore(id);
      const answered = conversations.message(id, message);
      if (answered.role !== 'assistant' || answered.parent === null)
        throw invalid('Only an answer can be retried.');
      if (model) conversations.change(id, { model });
      answers.add(id, answered.parent);
    },
    /** Makes one call of an answer again, as a branch that keeps what came before and beside it. */
    retryCall(id: string, message: number, call: string): void {
      requireIdle(id);
      const conversations = inStore(id);
      const { parts, parent } = conversations.message(id, message);
      const made = parts.find((part) => part.type === 'call' && part.call.id === call);
      if (made?.type !== 'call' || parent === null)
        throw invalid('Only a call of an answer can be repeated.');
      const kept = conversations.kept(message);
      answers.add(id, parent, {
        parts: parts.filter((part) => !('step' in part) || part.step <= made.step),
        wanted: kept && firstSteps(kept, made.step),
        repeated: call,
      });
    },
    continue(id: string, message: number): void {
      requireIdle(id);
      const paused = inStore(id).message(id, message);
      if (paused.status !== 'asks') throw invalid('This answer cannot be continued.');
      answers.begin(id, { ...paused, status: 'running' });
    },
    remove,
    /** Deletes what a message says, and its files. What follows it stays. */
    removeMessage(id: string, message: number): void {
      requireIdle(id);
      const { conversations, attachments } = stores.of(id);
      const { parts, model } = conversations.message(id, message);
      for (const [id, { appId }] of filesIn([{ parts }])) if (appId === null) attachments.remove(id);
      const removed: ChatPart[] = [{ type: 'notice', code: 'removed' }];
      conversations.write(message, { parts: removed, status: 'done', fault: null, model });
      conversations.keep(message, null);
      conversations.purge();
      events.emit({ type: 'chat-path', chat: id });
    },
    select,
    /** Stops all answers and closes the database. */
    async close(): Promise<void> {
      refresh.stop();
      pagesGone.stop();
      await answers.stopAll();
      await titles.close();
      await closeTemporary();
      writers.close();
      stores.close();
    },
  };
}
