import { ErrorMessage, LoadError } from '@svc/ui';
import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ChatMessage } from '../../../src/wire/chat.ts';
import { Heading } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { hashOf } from '../routes.ts';
import { useCommands } from '../shell/commands.ts';
import { useProject } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopClient, useDesktopEvents, useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';
import { chatCommands } from './chat-commands.ts';
import { ChatHead } from './chat-head.tsx';
import { Composer, type Draft, EMPTY } from './composer.tsx';
import { exportChat } from './export-chat.ts';
import { Hello } from './hello.tsx';
import { Message } from './message.tsx';
import { type ChatState, useChat } from './use-chat.ts';

const MESSAGES = WORDS.chat;

function Conversations({ current }: { current: string | null }) {
  const project = useProject();
  const queries = useQueryClient();
  const [q, setQ] = useState('');
  const results = useDesktopQuery('chats.list', { project: project.id, ...(q && { q }) });
  useDesktopEvents((event) => {
    if (event.type === 'chats') void queries.invalidateQueries({ queryKey: ['chats.list'] });
  });
  return (
    <aside className="chats" aria-label={MESSAGES.list}>
      <a className="button" href={hashOf('chat')}>
        {MESSAGES.newChat}
      </a>
      <input
        id="chat-search"
        type="search"
        aria-label={MESSAGES.search}
        placeholder={MESSAGES.search}
        value={q}
        onChange={(event) => setQ(event.target.value)}
      />
      <nav>
        {results.data?.chats.map(({ id, title, running }) => (
          <a key={id} href={hashOf('chat', id)} {...(id === current && { 'aria-current': 'page' as const })}>
            {visible(title) || MESSAGES.untitled}
            {running ? <span className="dot" role="img" aria-label={MESSAGES.thinking} /> : null}
          </a>
        ))}
        {results.data?.chats.length === 0 ? <p className="soft">{MESSAGES.none}</p> : null}
        <LoadError query={results} />
      </nav>
    </aside>
  );
}

/** The messages. The view stays at the end while they grow, unless the user has scrolled up. */
function Thread({
  state,
  older,
  edit,
}: {
  state: ChatState;
  older(): void;
  edit(message: ChatMessage): void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls after the messages change
  useLayoutEffect(() => {
    if (isAtEnd.current && place.current) place.current.scrollTop = place.current.scrollHeight;
  }, [state.messages]);
  return (
    <div
      className="thread"
      ref={place}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 80;
      }}
    >
      {state.more ? (
        <button type="button" onClick={older}>
          {MESSAGES.older}
        </button>
      ) : null}
      {state.messages.map((message) => (
        <Message key={message.id} chat={state.chat.id} message={message} edit={edit} />
      ))}
    </div>
  );
}

/** Sends a draft: uploads its files first, and creates the conversation if there is none. */
function useSend(id: string | null) {
  const desktop = useDesktopClient();
  const project = useProject();
  return async ({ files, ...draft }: Draft): Promise<void> => {
    const chat = id ?? (await desktop.request('chats.create', { project: project.id })).chat.id;
    const uploads = await Promise.all(files.map((file) => desktop.upload(file)));
    await desktop.request('chats.send', { chat, ...draft, files: uploads.map((upload) => upload.id) });
    if (id === null) go(hashOf('chat', chat));
  };
}

function Conversation({ id }: { id: string | null }) {
  const desktop = useDesktopClient();
  const { state, error, older } = useChat(id);
  const send = useSend(id);
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const [sendError, setSendError] = useState<Error | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const edit = useCallback((message: ChatMessage) => {
    const text = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
    setDraft({ ...EMPTY, text, after: message.parent });
    field.current?.focus();
  }, []);
  const last = state?.messages.findLast(({ role }) => role === 'user');
  const editLast = () => {
    if (last) edit(last);
  };
  const submit = () => {
    const sent = draft;
    setDraft(EMPTY);
    setSendError(null);
    send(sent).catch((cause: Error) => {
      // Restore the draft, so that the user's text is not lost.
      setDraft(sent);
      setSendError(cause);
    });
  };
  const stop = () => void (id !== null && desktop.request('chats.stop', { chat: id }));
  useCommands(
    chatCommands(state?.chat ?? null, {
      ...{ editLast: last ? editLast : null, stop, attach: () => picker.current?.click() },
      exportAll: () => void (id !== null && exportChat(desktop, id)),
    }),
  );
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setDraft((now) => ({ ...now, files: [...now.files, ...event.dataTransfer.files].slice(0, 20) }));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of three ways to attach a file
    <div className="conversation" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      {state ? <ChatHead chat={state.chat} /> : null}
      <ErrorMessage error={error} />
      {/* No greeting while a conversation loads: its queries would delay the conversation. */}
      {state === null && id === null ? <Hello /> : null}
      {state ? (
        <Thread state={state} older={older} edit={edit} />
      ) : (
        <div className="thread" hidden={id === null} />
      )}
      <ErrorMessage error={sendError} />
      <Composer
        {...{ draft, field, picker, editLast, stop }}
        change={setDraft}
        send={submit}
        isRunning={state?.chat.running ?? false}
      />
    </div>
  );
}

/** The chat page: conversations with a model that uses the apps of the project. */
export function ChatPage({ id }: { id: string | null }) {
  return (
    <div className="chat">
      <Heading>{WORDS.pages.chat}</Heading>
      <Conversations current={id} />
      <Conversation key={id ?? ''} id={id} />
    </div>
  );
}
