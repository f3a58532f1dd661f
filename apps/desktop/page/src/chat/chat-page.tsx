import { visible } from '@svc/text';
import { Boundary, Button, ButtonLink, ErrorMessage, Fault } from '@svc/ui';
import { type DragEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ChatMessage } from '../../../src/wire/chat.ts';
import type { AppView } from '../../../src/wire/views.ts';
import { AppIcon, StoreIcon } from '../parts/icon.tsx';
import { Heading } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useCommands } from '../shell/commands.ts';
import { useApps, useProject } from '../shell/use-project.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopClient, useDesktopMutation, useDesktopQuery, useLiveState } from '../wire/use-desktop.ts';
import { AppChips } from './app-chips.tsx';
import { DeleteChat } from './chat-actions.tsx';
import { ChatHead, chatCommands, exportChat } from './chat-head.tsx';
import { Composer } from './composer.tsx';
import { ContextCost } from './context-cost.tsx';
import { ConversationList } from './conversation-list.tsx';
import { TemporaryNotice, useTemporary } from './temporary-chat.tsx';
import { Thread } from './thread.tsx';
import { useChat } from './use-chat.ts';
import { EMPTY, type SentDraft, useDraft } from './use-draft.ts';
import type { Found } from './use-found.ts';
import { useQueue } from './use-queue.ts';

/** Examples, and icons of apps to install, in a new conversation. */
const EXAMPLES = 3;
const ICONS = 4;

/** Names the model that answers, or links to the settings if there is none. */
function AnswersFrom() {
  const listed = useDesktopQuery('models.list', {}).data;
  if (!listed) return null;
  const { providers, default: chosen } = listed;
  if (chosen === null) {
    return <ButtonLink label="Add a model first" className="main" href={hashOf('settings', 'models')} />;
  }
  const provider = providers.find(({ id }) => id === chosen.provider);
  return (
    <p className="soft">
      {`Answers come from ${visible(chosen.model)} (${visible(provider?.name ?? '')}).`}{' '}
      <a href={hashOf('settings', 'models')}>Change</a>
    </p>
  );
}

/** The most installed apps of the store, for a client without any. */
function FirstApp() {
  const apps = useDesktopQuery('store.search', {}).data?.apps.slice(0, ICONS) ?? [];
  return (
    <section className="card first-app">
      <h3>Install your first app</h3>
      <p className="soft">Apps give the model tools: notes, pictures, calendars.</p>
      <ul className="bare">
        {apps.map(({ appId, name, iconUrl }) => (
          <li key={appId}>
            <a href={hashOf('store', appId)}>
              <StoreIcon name={name} url={iconUrl} />
              {visible(name)}
            </a>
          </li>
        ))}
      </ul>
      <ButtonLink label="Browse the store" href={hashOf('store')} />
    </section>
  );
}

/** One message for each app, which names what the first of its tools does. */
function Examples({ apps, begin }: { apps: readonly AppView[]; begin(text: string): void }) {
  const project = useProject();
  const listed = useDesktopQuery('tools.names', { project: project.id }).data?.apps ?? [];
  const examples = apps.flatMap((app) => {
    const [tool] = listed.find(({ appId }) => appId === app.appId)?.tools ?? [];
    return tool ? [{ app, text: `${visible(tool.name)} with ${visible(app.manifest.name)}` }] : [];
  });
  if (examples.length === 0) return null;
  return (
    <section aria-label="Try one of these">
      <p className="soft">Try one of these</p>
      <ul className="examples">
        {examples.slice(0, EXAMPLES).map(({ app, text }) => (
          <li key={app.appId}>
            <Button onClick={() => begin(text)}>
              <AppIcon appId={app.appId} version={app.version} name={app.manifest.name} />
              {text}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * The first view of a new conversation: examples from the installed apps, or apps to install, and the model that answers.
 * @param begin writes a text into the message field
 */
function Hello({ begin }: { begin(text: string): void }) {
  const apps = useApps();
  const usable = apps?.filter(({ on, withdrawn, source }) => on && !withdrawn && source.kind !== 'built-in');
  return (
    <div className="thread hello">
      <h2>What would you like to do?</h2>
      <p className="soft">
        The model can use the apps that are on in this project. You approve what it sends them.
      </p>
      {usable?.length === 0 ? <FirstApp /> : null}
      {usable && usable.length > 0 ? <Examples apps={usable} begin={begin} /> : null}
      <AnswersFrom />
    </div>
  );
}

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

function Conversation({ id, found }: { id: string | null; found: Found | null }) {
  const desktop = useDesktopClient();
  const { state, error, older } = useChat(id, found?.message);
  // Of a new conversation, until it is created.
  const [newOff, setNewOff] = useState<readonly string[]>([]);
  const send = useSend(id, newOff);
  const changeChat = useDesktopMutation('chats.change');
  const kept = useDraft(id);
  const temporary = useTemporary(kept, newOff);
  const { change } = kept;
  const { cards } = useLiveState();
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
      {/* No greeting while a conversation loads: its queries would delay the conversation. */}
      {state === null && id === null ? <Hello begin={begin} /> : null}
      {state ? (
        <Thread {...{ state, older, edit, found }} />
      ) : (
        <div className="thread" hidden={id === null} />
      )}
      <ErrorMessage error={sendError} />
      <Composer
        {...{ kept, field, picker, editLast, stop, isRunning, isQueued }}
        send={() => (isRunning ? setQueued(true) : void submit())}
        unqueue={() => setQueued(false)}
        isAsked={cards.some(({ chat }) => chat === id)}
        apps={
          <div className="composer-below">
            <AppChips
              off={id === null ? newOff : (changeChat.variables?.off ?? state?.chat.off ?? [])}
              change={(off) => (id === null ? setNewOff(off) : changeChat.mutate({ chat: id, off }))}
            />
            {state ? <ContextCost state={state} /> : null}
          </div>
        }
      />
    </div>
  );
}

type ChatPageProps = { id: string | null; message?: string | undefined; words?: string | undefined };

/** The chat page: conversations with a model that uses the apps of the project. @param message what a search found */
export function ChatPage({ id, message, words = '' }: ChatPageProps) {
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
        key={`${id ?? ''} ${found?.message ?? ''}`}
        instead={() => (
          <div className="conversation">
            <Fault>This conversation could not be drawn.</Fault>
            {id === null ? null : <DeleteChat chat={id} />}
          </div>
        )}
      >
        <Conversation {...{ id, found }} />
      </Boundary>
    </div>
  );
}
