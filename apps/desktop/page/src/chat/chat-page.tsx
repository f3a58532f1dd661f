import { Boundary, ErrorMessage, Fault, LoadError } from '@svc/ui';
import {
  type ComponentProps,
  type DragEvent,
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { ChatMessage, ModelRef } from '../../../src/wire/chat.ts';
import { Heading } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useCommands } from '../shell/commands.ts';
import { useProject } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopClient, useDesktopMutation, useDesktopQuery, useLiveState } from '../wire/use-desktop.ts';
import { AppChips } from './app-chips.tsx';
import { DeleteChat } from './chat-actions.tsx';
import { ChatHead, chatCommands, ModelChoice } from './chat-head.tsx';
import { Composer } from './composer.tsx';
import { ConversationList } from './conversation-list.tsx';
import { exportChat } from './export-chat.ts';
import { Hello, Suggestions } from './hello.tsx';
import { TemporaryNotice, useTemporary } from './temporary-chat.tsx';
import { type ChatState, useChat } from './use-chat.ts';
import { EMPTY, type SentDraft, useDraft } from './use-draft.ts';
import type { Found } from './use-found.ts';
import { useQueue } from './use-queue.ts';

/** The messages and all that is in them, which a new conversation does not have. */
const Thread = lazy(async () => ({ default: (await import('./thread.tsx')).Thread }));
const ContextCost = lazy(async () => ({ default: (await import('./context-cost.tsx')).ContextCost }));

/** Sends a draft, and creates the conversation if there is none. @returns the conversation */
function useSend(id: string | null, off: readonly string[]) {
  const desktop = useDesktopClient();
  const project = useProject();
  return async ({ files, ...draft }: SentDraft): Promise<string> => {
    const chat = id ?? (await desktop.request('chats.create', { project: project.id })).chat.id;
    if (id === null && off.length > 0) await desktop.request('chats.change', { chat, off: [...off] });
    const sent = files.map(({ id, shown, text }) => ({ id, shown, text: shown ? text : null }));
    await desktop.request('chats.send', { chat, ...draft, files: sent });
    return chat;
  };
}

/**
 * Whether no model would answer; undefined while that is not known. Where the models cannot be listed, the message field stays open: what
 * is written is kept, and the desktop says why it does not answer.
 * @param model that of the conversation
 */
function useWithoutModel(model: ModelRef | null) {
  const models = useDesktopQuery('models.list', {});
  const { data: listed, isError } = models;
  const isWithoutModel = listed ? listed.default === null && model === null : isError ? false : undefined;
  return { models, isWithoutModel };
}

type BodyProps = Omit<ComponentProps<typeof Thread>, 'state'> &
  ComponentProps<typeof Hello> & { id: string | null; state: ChatState | null };

/** A greeting, or the messages. No greeting while a conversation loads: its queries would delay the conversation. */
function Body({ id, state, older, edit, found, ...hello }: BodyProps) {
  if (id === null) return <Hello {...hello} />;
  const place = <div className="thread" />;
  return state ? (
    <Suspense fallback={place}>
      <Thread {...{ state, older, edit, found }} />
    </Suspense>
  ) : (
    place
  );
}

/** What the model may use and what it costs, below the message field, and which model it is. */
function Below({
  id,
  state,
  newOff,
  setNewOff,
}: {
  id: string | null;
  state: ChatState | null;
  newOff: readonly string[];
  setNewOff(off: readonly string[]): void;
}) {
  const change = useDesktopMutation('chats.change');
  return (
    <div className="composer-below">
      <AppChips
        off={id === null ? newOff : (change.variables?.off ?? state?.chat.off ?? [])}
        change={(off) => (id === null ? setNewOff(off) : change.mutate({ chat: id, off: [...off] }))}
      />
      <Suspense>{state ? <ContextCost state={state} /> : null}</Suspense>
      {id === null || state ? <ModelChoice chat={state?.chat ?? null} /> : null}
    </div>
  );
}

type ConversationProps = { id: string | null; found: Found | null; installed: string | null };

function Conversation({ id, found, installed }: ConversationProps) {
  const desktop = useDesktopClient();
  const { state, error, older } = useChat(id, found?.message);
  const { models, isWithoutModel } = useWithoutModel(state?.chat.model ?? null);
  // Of a new conversation, until it is created.
  const [newOff, setNewOff] = useState<readonly string[]>([]);
  const send = useSend(id, newOff);
  const kept = useDraft(id);
  const temporary = useTemporary(kept, newOff);
  const { change } = kept;
  const { cards } = useLiveState();
  const [isDropping, setDropping] = useState(false);
  const [sendError, setSendError] = useState<Error | null>(null);
  const isSending = useRef(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: also once there is a model
  useEffect(() => field.current?.focus(), [isWithoutModel]);
  const edit = useCallback(
    (message: ChatMessage) => {
      const text = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
      change({ ...EMPTY, text, after: message.parent });
      field.current?.focus();
    },
    [change],
  );
  const begin = (text: string) => {
    change((now) => ({ ...now, text }));
    field.current?.focus();
  };
  const last = state?.messages.findLast(({ role }) => role === 'user');
  const editLast = () => {
    if (last) edit(last);
  };
  const submit = async () => {
    if (isSending.current) return;
    isSending.current = true;
    setSendError(null);
    const sent = await kept.begin();
    if (sent === null) {
      isSending.current = false;
      return;
    }
    try {
      const chat = await send(sent);
      await kept.end(null);
      if (id === null) go(hashOf('chat', chat));
    } catch (cause) {
      // Restore the draft, so that the user's text is not lost.
      await kept.end(sent);
      setSendError(cause as Error);
    } finally {
      isSending.current = false;
    }
  };
  const { text, files } = kept.draft;
  const isEmpty = text.trim() === '' && files.length === 0;
  const { isQueued, setQueued } = useQueue(state, () => void (isEmpty || submit()));
  const isRunning = state?.chat.running ?? false;
  const stop = () => void (id !== null && desktop.request('chats.stop', { chat: id }));
  useCommands(
    chatCommands(state?.chat ?? null, {
      ...{ editLast: last ? editLast : null, stop, attach: () => picker.current?.click() },
      beginTemporary: temporary.begin,
      exportAll: () => void (id !== null && exportChat(desktop, id)),
    }),
  );
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setDropping(false);
    const { dataTransfer } = event;
    if (dataTransfer.files.length > 0) return kept.add(dataTransfer.files);
    const text = dataTransfer.getData('text/plain');
    if (text) change((now) => ({ ...now, text: now.text ? `${now.text}\n${text}` : text }));
  };
  const leave = ({ currentTarget, relatedTarget }: DragEvent) => {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setDropping(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of three ways to attach a file
    <div
      className="conversation"
      onDragOver={(event) => {
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={leave}
      onDrop={drop}
    >
      {isDropping ? <p className="drop-target">Drop files to attach them</p> : null}
      <ChatHead chat={state?.chat ?? null} temporary={id === null ? temporary : null} />
      {state?.chat.temporary ? <TemporaryNotice chat={state.chat.id} /> : null}
      <ErrorMessage error={error} />
      {error ? null : <LoadError query={models} />}
      <Body {...{ id, state, older, edit, found, isWithoutModel, installed }} />
      <ErrorMessage error={sendError} />
      <Composer
        {...{ kept, field, picker, editLast, stop, isRunning, isQueued }}
        isWithoutModel={isWithoutModel === true}
        send={() => (isRunning ? setQueued(true) : void submit())}
        unqueue={() => setQueued(false)}
        isAsked={cards.some(({ chat }) => chat === id)}
        apps={<Below {...{ id, state, newOff, setNewOff }} />}
      />
      {id === null ? <Suggestions {...{ begin, isWithoutModel, installed }} /> : null}
    </div>
  );
}

type ChatPageProps = {
  id: string | null;
  message?: string | undefined;
  words?: string | undefined;
  installed?: string | undefined;
};

/**
 * The chat page: conversations with a model that uses the apps of the project.
 * @param message what a search found
 * @param installed the app that was just installed, in a new conversation
 */
export function ChatPage({ id, message, words = '', installed }: ChatPageProps) {
  const found = useMemo(
    () => (Number(message) > 0 ? { message: Number(message), words } : null),
    [message, words],
  );
  return (
    <div className="chat">
      <Heading unseen>Chat</Heading>
      <Boundary instead={() => <Fault>The list of conversations could not be drawn.</Fault>}>
        <ConversationList current={id} />
      </Boundary>
      <Boundary
        key={`${id ?? ''} ${found?.message ?? ''} ${installed ?? ''}`}
        instead={() => (
          <div className="conversation">
            <Fault>This conversation could not be drawn.</Fault>
            {id === null ? null : <DeleteChat chat={id} />}
          </div>
        )}
      >
        <Conversation {...{ id, found }} installed={installed ?? null} />
      </Boundary>
    </div>
  );
}
