import { join } from 'node:path';
import type { PanelFile, System } from '@svc/runtime';
import type { ClientSecrets } from '@svc/runtime/parts';
import type { Desktop } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import { createToolRefresh } from '../gateway/tool-refresh.ts';
import { HttpError, invalid } from '../http/exchange.ts';
import type { ChatFile, ChatMessage, ChatPart, ChatStatus, ChatView } from '../wire/chat.ts';
import { type Content, createAttachments } from './attachments.ts';
import { openChatDatabase } from './chat-database.ts';
import { createChatTools } from './chat-tools.ts';
import { type Chat, createConversations, MAX_TITLE } from './conversations.ts';
import { createDraft, type OpenDraft } from './draft.ts';
import { ModelError } from './model-server.ts';
import { openProviders, type Providers } from './providers.ts';
import { runTurn } from './turn.ts';
import { createWriters } from './writers.ts';

/** Answers that are written at the same time. */
const MAX_RUNNING = 8;

/** Calls of one conversation that may be made again without a card; older ones ask again. */
const MAX_ALLOWED = 500;

export type ChatDeps = {
  desktop: Desktop;
  events: PageEvents;
  system: System;
  folder: string;
  secrets: ClientSecrets;
  newId(): string;
  onFault(error: unknown): void;
};

export type Sent = { text: string; files: readonly PanelFile[]; show: boolean; after?: number | null };

/** An answer that is written here, with what stops it and each of its calls. */
type Running = {
  stop: AbortController;
  calls: Map<string, AbortController>;
  ended: Promise<void>;
  draft: OpenDraft;
};

/** Conversations with models. */
export type Chats = ReturnType<typeof openChats>;

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
const MAX_PICTURE = 10 * 1024 * 1024;

const noModel = (): ModelError =>
  new ModelError('no-provider', 'Choose a model first: add a provider under Settings, Models.');

const busy = (message: string): HttpError => new HttpError(409, 'busy', message);

/** Opens the conversations of a folder. @throws when they cannot be read */
export function openChats({ desktop, events, system, folder, secrets, newId, onFault }: ChatDeps) {
  const database = openChatDatabase(join(folder, 'chats.sqlite'));
  const conversations = createConversations(database, () => new Date(system.now()));
  const writers = createWriters(database, folder, newId());
  const attachments = createAttachments(database, newId);
  const providers: Providers = openProviders({ folder, system, secrets });
  const refresh = createToolRefresh(desktop.runtime, system, () => undefined);
  const tools = createChatTools(desktop.runtime, refresh);
  const running = new Map<string, Running>();
  let rev = 0;
  const calls = { desktop, attachments, tools, newId, now: () => system.now(), conversations };

  const viewsOf = (chats: readonly Chat[]): ChatView[] => {
    const written = writers.running();
    return chats.map(({ head: _head, allowed: _allowed, ...chat }) => ({
      ...chat,
      running: running.has(chat.id) || written.has(chat.id),
    }));
  };
  const viewOf = (chat: Chat): ChatView => viewsOf([chat])[0] as ChatView;
  const listChanged = () => events.tell({ type: 'chats' });

  /** Bytes of an attachment that the user shows to the model. */
  function picture({ id, type, bytes }: ChatFile): Uint8Array | null {
    return PICTURES.has(type) && bytes <= MAX_PICTURE ? attachments.read(id).bytes : null;
  }

  function requireNotElsewhere(chat: string): void {
    if (!running.has(chat) && writers.running().has(chat))
      throw busy('Another program on this computer writes an answer in this conversation. Stop it there.');
  }
  function requireIdle(chat: string): void {
    requireNotElsewhere(chat);
    if (running.has(chat))
      throw busy('An answer is being written, here or in another window. Stop it first.');
    if (running.size >= MAX_RUNNING)
      throw busy(`${MAX_RUNNING} answers are being written. Wait for one of them.`);
  }

  async function answer(
    chat: Chat,
    { draft, calls: stops }: Pick<Running, 'draft' | 'calls'>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      if (chat.model === null) throw noModel();
      const server = await providers.server(chat.model.provider).catch((error) => {
        throw error instanceof HttpError ? noModel() : error;
      });
      const allowed = () => conversations.get(chat.id).allowed;
      const status = await runTurn(calls, {
        ...{ chat, draft, server, model: chat.model.model, signal, picture, allowed, stops },
        allow(call) {
          conversations.change(chat.id, { allowed: [...allowed(), call].slice(-MAX_ALLOWED) });
        },
      });
      draft.end(status, null);
    } catch (error) {
      if (signal.aborted) return draft.end('stopped', null);
      const isExpected = error instanceof ModelError;
      if (!isExpected) onFault(error);
      const said = isExpected
        ? error
        : new ModelError('failed', 'The desktop failed. Its terminal says more.');
      draft.end('failed', { code: said.code, message: said.message });
    }
  }

  /** Begins an answer. It goes on when the page that asked for it is gone. */
  function begin(id: string, message: ChatMessage): void {
    const stop = new AbortController();
    const chat = conversations.get(id);
    writers.claim(message.id);
    const nextRev = () => {
      rev += 1;
      return rev;
    };
    const draft = createDraft({ chat: id, message, conversations, events, nextRev });
    const calls = new Map<string, AbortController>();
    const ended = answer(chat, { draft, calls }, stop.signal)
      .catch(onFault)
      .finally(() => {
        running.delete(id);
        writers.release(message.id);
        listChanged();
      });
    running.set(id, { stop, calls, ended, draft });
    listChanged();
  }

  function addAnswer(id: string, parent: number): void {
    const model = conversations.get(id).model?.model ?? null;
    const empty = { parts: [], status: 'running' as ChatStatus, fault: null, model };
    const message = conversations.add(id, parent, 'assistant', empty);
    events.tell({ type: 'chat-path', chat: id });
    begin(id, message);
  }

  async function stop(id: string): Promise<void> {
    requireNotElsewhere(id);
    const found = running.get(id);
    found?.stop.abort(new Error('The user stopped the answer.'));
    await found?.ended;
  }

  /** The newest messages that are shown, or those before one of them: an answer that is written as it stands, not as it was kept. */
  function open(id: string, before?: number) {
    const chat = viewOf(conversations.get(id));
    const { messages, more } = conversations.page(id, before);
    const written = running.get(id)?.draft.message;
    const now = messages.map((one) =>
      one.id === written?.id ? { ...written, branches: one.branches } : one,
    );
    return { chat, messages: now, more, rev };
  }

  return {
    conversations,
    providers,
    viewOf,
    viewsOf,
    open,
    stop,
    read: (id: string): Content => attachments.read(id),
    create(project: string): ChatView {
      const chat = conversations.create(newId(), project, providers.list().default);
      listChanged();
      return viewOf(chat);
    },
    /** Changes what a conversation uses; every page is told. */
    change(id: string, changes: Partial<Pick<Chat, 'model' | 'off'>>): ChatView {
      const chat = conversations.change(id, changes);
      listChanged();
      return viewOf(chat);
    },
    /** Stops one call; its answer goes on. */
    stopCall(id: string, call: string): void {
      requireNotElsewhere(id);
      running.get(id)?.calls.get(call)?.abort(new Error('The user stopped the call.'));
    },
    /** Adds a message of the user, which is kept when this returns, and begins the answer. */
    send(id: string, { text, files, show, after }: Sent): number {
      requireIdle(id);
      const { head, title } = conversations.get(id);
      if (text.trim() === '' && files.length === 0) throw invalid('Write something, or attach a file.');
      const attached = files.map((file): ChatPart => {
        const kept = attachments.add(id, file);
        return { type: 'file', file: kept, shown: show && PICTURES.has(kept.type) };
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
      if (title === '') conversations.title(id, (text.trim() || files[0]?.name || '').slice(0, MAX_TITLE));
      addAnswer(id, message.id);
      return message.id;
    },
    retry(id: string, message: number): void {
      requireIdle(id);
      const found = conversations.message(id, message);
      if (found.role !== 'assistant' || found.parent === null)
        throw invalid('Only an answer can be asked for again.');
      addAnswer(id, found.parent);
    },
    continue(id: string, message: number): void {
      requireIdle(id);
      const found = conversations.message(id, message);
      if (found.status !== 'asks') throw invalid('This answer does not wait to go on.');
      begin(id, { ...found, status: 'running' });
    },
    async remove(id: string): Promise<void> {
      await stop(id);
      conversations.remove(id);
      listChanged();
    },
    select(id: string, message: number): void {
      requireIdle(id);
      conversations.select(id, message);
      events.tell({ type: 'chat-path', chat: id });
    },
    /** Stops all answers, and closes what is open. */
    async close(): Promise<void> {
      refresh.stop();
      await Promise.all([...running.keys()].map(stop));
      writers.close();
      database.close();
    },
  };
}
