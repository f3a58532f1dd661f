import { ErrorMessage } from '@svc/ui';
import { type DragEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { ChatMessage } from '../../../src/wire/chat.ts';
import { Heading } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useCommands } from '../shell/commands.ts';
import { useProject } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopClient } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';
import { chatCommands } from './chat-commands.ts';
import { ChatHead } from './chat-head.tsx';
import { Composer, type Draft, EMPTY } from './composer.tsx';
import { ConversationList } from './conversation-list.tsx';
import { exportChat } from './export-chat.ts';
import { Hello } from './hello.tsx';
import { Thread } from './thread.tsx';
import { useChat } from './use-chat.ts';

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
  const begin = (text: string) => {
    setDraft((now) => ({ ...now, text }));
    field.current?.focus();
  };
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
      <ConversationList current={id} />
      <Conversation key={id ?? ''} id={id} />
    </div>
  );
}
