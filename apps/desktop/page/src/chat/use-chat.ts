import { startTransition, useCallback, useEffect, useRef, useState } from 'react';
import type { ChatMessage, ChatView } from '../../../src/wire/chat.ts';
import { useDesktopClient, useDesktopEvents, useLiveState } from '../wire/use-desktop.ts';
import { afterEvent, type MessageEvent, withEarlier } from './after-event.ts';

export type ChatState = { chat: ChatView; messages: readonly ChatMessage[]; more: boolean; rev: number };

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

/** A conversation, updated by events: its newest messages, and older ones on demand. */
export function useChat(id: string | null) {
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
      const fresh = await desktop.request('chats.open', { chat: id });
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
  }, [desktop, id, show, applySoon]);
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
