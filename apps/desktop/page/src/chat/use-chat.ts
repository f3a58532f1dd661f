import { startTransition, useCallback, useEffect, useRef, useState } from 'react';
import type { ChatEvent, ChatMessage, ChatView, LinkedChat } from '../../../src/wire/chat.ts';
import { useDesktopClient, useDesktopEvents, useLiveState } from '../wire/use-desktop.ts';

type MessageEvent = Extract<ChatEvent, { rev: number }>;

/** The shown messages of a conversation, and the revision of the last change applied to them. */
type Shown = { messages: readonly ChatMessage[]; rev: number };

function applyTo(messages: readonly ChatMessage[], event: MessageEvent): readonly ChatMessage[] | null {
  const id = event.type === 'chat-message' ? event.message.id : event.message;
  const at = messages.findLastIndex((message) => message.id === id);
  const current = messages[at];
  if (event.type === 'chat-message') {
    if (current) return messages.with(at, { ...event.message, branches: current.branches });
    // A reply to the last shown message. Any other new message belongs to a branch that is not shown.
    return event.message.parent === (messages.at(-1)?.id ?? null) ? [...messages, event.message] : messages;
  }
  if (current === undefined) return messages;
  const part = current.parts[event.part];
  if (part === undefined || !('text' in part)) return null;
  const parts = current.parts.with(event.part, { ...part, text: part.text + event.text });
  return messages.with(at, { ...current, parts });
}

/**
 * Applies an event. An event that is already applied changes nothing.
 * @returns null when an earlier event is missing: the conversation must be fetched again
 */
export function afterEvent<State extends Shown>(shown: State, event: MessageEvent): State | null {
  if (event.rev <= shown.rev) return shown;
  const messages = applyTo(shown.messages, event);
  return messages && { ...shown, messages, rev: event.rev };
}

/** Keeps the objects of messages that did not change, so that React does not render them again. */
function reuseUnchanged(
  fresh: readonly ChatMessage[],
  before: readonly ChatMessage[],
): readonly ChatMessage[] {
  const known = new Map(before.map((message) => [message.id, message]));
  return fresh.map((message) => {
    const shown = known.get(message.id);
    return shown && JSON.stringify(shown) === JSON.stringify(message) ? shown : message;
  });
}

/** Puts the earlier messages that are shown in front of the newest ones, if both are of the same branch. */
export function withEarlier<State extends Shown & { more: boolean }>(
  fresh: State,
  before: State | null,
): State {
  const first = fresh.messages[0];
  const at = first ? (before?.messages.findIndex(({ id }) => id === first.id) ?? -1) : -1;
  if (!before || at < 0) return fresh;
  const messages = reuseUnchanged(fresh.messages, before.messages);
  if (at === 0) return { ...fresh, messages };
  return { ...fresh, messages: [...before.messages.slice(0, at), ...messages], more: before.more };
}

export type ChatState = {
  chat: ChatView;
  messages: readonly ChatMessage[];
  more: boolean;
  /** Whether the newest messages are not among them: a search found an earlier one. */
  newer?: boolean;
  rev: number;
  linked?: { from: LinkedChat | null; next: LinkedChat | null };
};

/** How long events are batched while the page is hidden, in milliseconds: a hidden page has no animation frames. */
const HIDDEN_MS = 200;

/** Shortest time between two renders, in milliseconds: one frame. */
const FRAME_MS = 16;

/** Throttles work to once per frame. The first call runs immediately. */
function useFrameThrottle(work: () => void): () => void {
  const latest = useRef(work);
  const isScheduled = useRef(false);
  const last = useRef(0);
  useEffect(() => {
    latest.current = work;
  });
  return useCallback(() => {
    if (isScheduled.current) return;
    const run = () => {
      isScheduled.current = false;
      last.current = performance.now();
      latest.current();
    };
    if (performance.now() - last.current > FRAME_MS) return run();
    isScheduled.current = true;
    if (document.visibilityState === 'visible') requestAnimationFrame(run);
    else setTimeout(run, HIDDEN_MS);
  }, []);
}

/** A conversation, updated by events: its newest messages, or those around one, and older ones on demand. */
export function useChat(id: string | null, at?: number) {
  const desktop = useDesktopClient();
  const { opened } = useLiveState();
  const [state, setState] = useState<ChatState | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const shown = useRef<ChatState | null>(null);
  const loads = useRef(0);
  // Events received while the conversation loads, or since the last frame.
  const pending = useRef<MessageEvent[]>([]);
  const isLoading = useRef(false);
  const show = useCallback((next: ChatState | null) => {
    shown.current = next;
    setState(next);
  }, []);
  const applySoon = useFrameThrottle(() => apply());
  const load = useCallback(async () => {
    loads.current += 1;
    const load = loads.current;
    if (id === null) return show(null);
    isLoading.current = true;
    try {
      const fresh = await desktop.request('chats.open', { chat: id, ...(at !== undefined && { at }) });
      if (load !== loads.current) return;
      show(withEarlier(fresh, shown.current));
      setError(null);
    } catch (cause) {
      if (load !== loads.current) return;
      show(null);
      setError(cause as Error);
    } finally {
      if (load === loads.current) isLoading.current = false;
    }
    applySoon();
  }, [desktop, id, at, show, applySoon]);
  const apply = () => {
    if (isLoading.current || shown.current === null) return;
    const events = pending.current;
    pending.current = [];
    let next: ChatState | null = shown.current;
    for (const event of events) next = next && afterEvent(next, event);
    if (next === null) void load();
    else if (next === shown.current) return;
    // New messages and parts render immediately. Streamed text arrives hundreds of times a second and renders after the user's typing.
    else if (events.some(({ type }) => type === 'chat-message')) show(next);
    else startTransition(() => show(next));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: events missed while the connection was lost are fetched again
  useEffect(() => {
    pending.current = [];
    void load();
  }, [load, opened]);
  useDesktopEvents((event) => {
    if (event.type === 'chats' || (event.type === 'chat-path' && event.chat === id)) return void load();
    if ((event.type !== 'chat-message' && event.type !== 'chat-text') || event.chat !== id) return;
    pending.current.push(event);
    applySoon();
  });
  const older = async () => {
    const [first] = shown.current?.messages ?? [];
    if (id === null || first === undefined) return;
    const page = await desktop.request('chats.open', { chat: id, before: first.id });
    const now = shown.current;
    if (now?.messages[0]?.id !== first.id) return;
    show({ ...now, messages: [...page.messages, ...now.messages], more: page.more });
  };
  return { state: state?.chat.id === id ? state : null, error, older };
}
