import { startTransition, useCallback, useEffect, useRef, useState } from 'react';
import type { ChatMessage, ChatView } from '../../../src/wire/chat.ts';
import { useDesk, useHear, useLiveState } from '../wire/use-desktop.ts';
import { afterEvent, type MessageEvent, withEarlier } from './after-event.ts';

export type ChatState = { chat: ChatView; messages: readonly ChatMessage[]; more: boolean; rev: number };

/** How long events of a page that is not in front are gathered, in milliseconds: such a page has no frames. */
const HIDDEN_MS = 200;

/** Shortest time between two changes of what is shown, in milliseconds: a frame. */
const FRAME_MS = 16;

/** Runs work at once, and while it is asked for more often than there are frames, once with each frame. */
function useEachFrame(work: () => void): () => void {
  const latest = useRef(work);
  const isAsked = useRef(false);
  const last = useRef(0);
  useEffect(() => {
    latest.current = work;
  });
  return useCallback(() => {
    if (isAsked.current) return;
    const run = () => {
      isAsked.current = false;
      last.current = performance.now();
      latest.current();
    };
    if (performance.now() - last.current > FRAME_MS) return run();
    isAsked.current = true;
    if (document.visibilityState === 'visible') requestAnimationFrame(run);
    else setTimeout(run, HIDDEN_MS);
  }, []);
}

/** A conversation as it changes, from its end on. */
export function useChat(id: string | null) {
  const desk = useDesk();
  const { opened } = useLiveState();
  const [state, setState] = useState<ChatState | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const shown = useRef<ChatState | null>(null);
  const asked = useRef(0);
  // What came while the conversation was asked for, or since the last frame.
  const waiting = useRef<MessageEvent[]>([]);
  const isLoading = useRef(false);
  const show = useCallback((next: ChatState | null) => {
    shown.current = next;
    setState(next);
  }, []);
  const applySoon = useEachFrame(() => apply());
  const load = useCallback(async () => {
    asked.current += 1;
    const turn = asked.current;
    if (id === null) return show(null);
    isLoading.current = true;
    try {
      const fresh = await desk.ask('chats.open', { chat: id });
      if (turn !== asked.current) return;
      show(withEarlier(fresh, shown.current));
      setError(null);
    } catch (fault) {
      if (turn !== asked.current) return;
      show(null);
      setError(fault as Error);
    } finally {
      if (turn === asked.current) isLoading.current = false;
    }
    applySoon();
  }, [desk, id, show, applySoon]);
  const apply = () => {
    if (isLoading.current || shown.current === null) return;
    const events = waiting.current;
    waiting.current = [];
    let next: ChatState | null = shown.current;
    for (const event of events) next = next && afterEvent(next, event);
    if (next === null) void load();
    else if (next === shown.current) return;
    // The first of a part is drawn as soon as it is there. Text that goes on, hundreds of times a second, is drawn after what the user types.
    else if (events.some(({ type }) => type === 'chat-message')) show(next);
    else startTransition(() => show(next));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was missed with the connection is asked for again
  useEffect(() => {
    waiting.current = [];
    void load();
  }, [load, opened]);
  useHear((event) => {
    if (event.type === 'chats' || (event.type === 'chat-path' && event.chat === id)) return void load();
    if ((event.type !== 'chat-message' && event.type !== 'chat-text') || event.chat !== id) return;
    waiting.current.push(event);
    applySoon();
  });
  const older = async () => {
    const [first] = shown.current?.messages ?? [];
    if (id === null || first === undefined) return;
    const found = await desk.ask('chats.open', { chat: id, before: first.id });
    const now = shown.current;
    if (now?.messages[0]?.id !== first.id) return;
    show({ ...now, messages: [...found.messages, ...now.messages], more: found.more });
  };
  return { state: state?.chat.id === id ? state : null, error, older };
}
