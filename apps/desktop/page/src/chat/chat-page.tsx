import { ErrorMessage } from '@svc/ui';
import { type DragEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { ChatMessage } from '../../../src/wire/chat.ts';
import { Heading } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useCommands } from '../shell/commands.ts';
import { useProject } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopClient } from '../wire/use-desktop.ts';
import { chatCommands } from './chat-commands.ts';
import { ChatHead } from './chat-head.tsx';
import { Composer } from './composer.tsx';
import { ConversationList } from './conversation-list.tsx';
import { exportChat } from './export-chat.ts';
import { Hello } from './hello.tsx';
import { Thread } from './thread.tsx';
import { useChat } from './use-chat.ts';
import { EMPTY, type SentDraft, useDraft } from './use-draft.ts';

/** Sends a draft, and creates the conversation if there is none. @returns the conversation */
function useSend(id: string | null) {
  const desktop = useDesktopClient();
  const project = useProject();
  return async ({ files, ...draft }: SentDraft): Promise<string> => {
    const chat = id ?? (await desktop.request('chats.create', { project: project.id })).chat.id;
    const sent = files.map(({ id, shown, text }) => ({ id, shown, text: shown ? text : null }));
    await desktop.request('chats.send', { chat, ...draft, files: sent });
    return chat;
  };
}

function Conversation({ id }: { id: string | null }) {
  const desktop = useDesktopClient();
  const { state, error, older } = useChat(id);
  const send = useSend(id);
  const kept = useDraft(id);
  const { change } = kept;
  const [isDropping, setDropping] = useState(false);
  const [sendError, setSendError] = useState<Error | null>(null);
  const isSending = useRef(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
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
  const stop = () => void (id !== null && desktop.request('chats.stop', { chat: id }));
  useCommands(
    chatCommands(state?.chat ?? null, {
      ...{ editLast: last ? editLast : null, stop, attach: () => picker.current?.click() },
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
      <ChatHead chat={state?.chat ?? null} />
      <ErrorMessage error={error} />
      {/* No greeting while a conversation loads: its queries would delay the conversation. */}
      {state === null && id === null ? <Hello begin={begin} /> : null}
      {state ? (
        <Thread state={state} older={older} edit={edit} />
      ) : (
        <div className="thread" hidden={id === null} />
      )}
      <ErrorMessage error={sendError} />
      <Composer
        {...{ kept, field, picker, editLast, stop }}
        send={() => void submit()}
        isRunning={state?.chat.running ?? false}
      />
    </div>
  );
}

/** The chat page: conversations with a model that uses the apps of the project. */
export function ChatPage({ id }: { id: string | null }) {
  return (
    <div className="chat">
      <Heading>Chat</Heading>
      <ConversationList current={id} />
      <Conversation key={id ?? ''} id={id} />
    </div>
  );
}
