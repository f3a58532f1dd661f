import type { Desktop } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import { HttpError } from '../http/exchange.ts';
import type { ChatFile, ChatMessage, ChatPart, ChatStatus } from '../wire/chat.ts';
import type { Chat } from './chat-database.ts';
import { type ChatStores, isTemporary } from './chat-stores.ts';
import type { ChatTools } from './chat-tools.ts';
import { createDraft, type OpenDraft } from './drafts.ts';
import type { KeptAnswer } from './kept-step.ts';
import { ModelError, noModel } from './model-fault.ts';
import type { Providers } from './providers.ts';
import { PICTURES } from './shown-files.ts';
import { runTurn } from './turn.ts';
import type { createWriters } from './writers.ts';

/** Most answers that are written at the same time. */
const MAX_RUNNING = 8;

/** An answer that this process writes, with the controllers that stop it and its calls. */
type Running = {
  stop: AbortController;
  calls: Map<string, AbortController>;
  ended: Promise<void>;
  draft: OpenDraft;
};

const MAX_PICTURE = 10 * 1024 * 1024;

export const busy = (message: string): HttpError => new HttpError(409, 'busy', message);

type Deps = {
  desktop: Desktop;
  stores: ChatStores;
  writers: ReturnType<typeof createWriters>;
  providers: Pick<Providers, 'find' | 'server'>;
  tools: ChatTools;
  events: PageEvents;
  newId(): string;
  now(): number;
  /** Called when an answer begins or ends. */
  changed(): void;
  /** Called after a complete answer. */
  answered(chat: string, message: ChatMessage): void;
  onFault(error: unknown): void;
};

/** The answers that this process writes. They go on when the page is closed. */
export function createAnswers(deps: Deps) {
  const { stores, writers, providers, events, changed, answered, onFault } = deps;
  const running = new Map<string, Running>();
  let rev = 0;
  const inStore = (id: string) => stores.of(id).conversations;

  /** What the model receives of a file that the user shows: the bytes of an image, or a text. */
  function contentOf({ id, type, bytes }: ChatFile): Uint8Array | string | null {
    const { attachments } = stores.of(id);
    return PICTURES.has(type) && bytes <= MAX_PICTURE ? attachments.read(id).bytes : attachments.text(id);
  }

  function requireNotElsewhere(chat: string): void {
    if (!running.has(chat) && writers.running().has(chat))
      throw busy('Another svc program is writing an answer in this conversation. Stop it there.');
  }
  function requireIdle(chat: string): void {
    requireNotElsewhere(chat);
    if (running.has(chat)) throw busy('An answer is being written in this conversation. Stop it first.');
    if (running.size >= MAX_RUNNING)
      throw busy(`${MAX_RUNNING} answers are being written. Wait for one to finish.`);
  }

  /** Whether the model of a conversation receives the pictures that apps return. */
  const showsPictures = ({ params, model }: Chat): boolean =>
    params.pictures ?? (model && providers.find(model.provider).pictures) ?? true;

  async function answer(
    chat: Chat,
    { draft, calls: stops }: Pick<Running, 'draft' | 'calls'>,
    signal: AbortSignal,
    repeated: string | null,
  ): Promise<void> {
    try {
      if (chat.model === null) throw noModel();
      const server = await providers.server(chat.model.provider, chat.model.model).catch((error) => {
        throw error instanceof HttpError ? noModel() : error;
      });
      const { conversations, attachments, allowances } = stores.of(chat.id);
      const status = await runTurn(
        { ...deps, conversations, attachments },
        {
          ...{ chat, draft, server, model: chat.model.model, signal, contentOf, stops, repeated },
          askAlways: allowances.in(chat.id),
          showsPictures: showsPictures(chat),
          prompt: stores.stored.conversations.prompt(chat.project),
        },
      );
      draft.end(status, null);
      if (status === 'done') answered(chat.id, draft.message);
    } catch (error) {
      if (signal.aborted) return draft.end('stopped', null);
      const isExpected = error instanceof ModelError;
      if (!isExpected) onFault(error);
      const fault = isExpected
        ? error
        : new ModelError('failed', 'svc desktop failed. See its log in the terminal.');
      draft.end('failed', { code: fault.code, message: fault.message });
    }
  }

  /** Begins an answer. @param repeated a call of the message to make first */
  function begin(id: string, message: ChatMessage, repeated: string | null = null): void {
    const stop = new AbortController();
    const conversations = inStore(id);
    const chat = conversations.get(id);
    // Only this process has the temporary ones.
    const isShared = !isTemporary(id);
    if (isShared) writers.claim(message.id);
    const nextRev = () => {
      rev += 1;
      return rev;
    };
    const draft = createDraft({ chat: id, message, conversations, events, nextRev, onFault });
    const calls = new Map<string, AbortController>();
    const ended = answer(chat, { draft, calls }, stop.signal, repeated)
      .catch(onFault)
      .finally(() => {
        running.delete(id);
        if (isShared) writers.release(message.id);
        changed();
      });
    running.set(id, { stop, calls, ended, draft });
    changed();
  }

  function addAnswer(
    id: string,
    parent: number,
    kept: { parts: readonly ChatPart[]; repeated: string; wanted: KeptAnswer | null } | null = null,
  ): void {
    const conversations = inStore(id);
    const model = conversations.get(id).model?.model ?? null;
    const empty = { parts: kept?.parts ?? [], status: 'running' as ChatStatus, fault: null, model };
    const message = conversations.add(id, parent, 'assistant', empty);
    if (kept?.wanted) conversations.keep(message.id, kept.wanted);
    events.emit({ type: 'chat-path', chat: id });
    begin(id, message, kept?.repeated ?? null);
  }

  async function stop(id: string): Promise<void> {
    requireNotElsewhere(id);
    const answering = running.get(id);
    answering?.stop.abort(new Error('The user stopped the answer.'));
    await answering?.ended;
  }

  return {
    contentOf,
    requireIdle,
    begin,
    add: addAnswer,
    stop,
    /** The conversations in which this process writes, and the revision of the last change. */
    has: (id: string): boolean => running.has(id),
    rev: () => rev,
    /** An answer as it is in memory; undefined where none is being written. */
    written: (id: string): ChatMessage | undefined => running.get(id)?.draft.message,
    /** Stops one call. Its answer continues. */
    stopCall(id: string, call: string): void {
      requireNotElsewhere(id);
      running.get(id)?.calls.get(call)?.abort(new Error('The user stopped the call.'));
    },
    /** Resolves when no answer is being written in a conversation. */
    async idle(id: string): Promise<void> {
      while (running.has(id)) await running.get(id)?.ended;
    },
    async stopAll(): Promise<void> {
      await Promise.all([...running.keys()].map(stop));
    },
  };
}
