import { useCallback, useEffect, useState } from 'react';
import type { ChatEvent, ChatMessage, ChatView } from '../../../src/wire/chat.ts';
import { useDesk, useHear, useLiveState } from '../wire/use-desktop.ts';

export type ChatState = { chat: ChatView; messages: readonly ChatMessage[]; more: boolean };

type Told = Extract<ChatEvent, { chat: string }>;

/** What an event changes in the messages that are shown. */
function after(messages: readonly ChatMessage[], event: Told): readonly ChatMessage[] {
  if (event.type === 'chat-path') return messages;
  const id = event.type === 'chat-message' ? event.message.id : event.message;
  const at = messages.findIndex((one) => one.id === id);
  const found = messages[at];
  if (found === undefined) return messages;
  if (event.type === 'chat-message') return messages.with(at, { ...event.message, branches: found.branches });
  const part = found.parts[event.part];
  if (part === undefined || !('text' in part)) return messages;
  const parts = found.parts.with(event.part, { ...part, text: part.text + event.text });
  return messages.with(at, { ...found, parts });
}

/** A conversation as it changes, from its end on. */
export function useChat(id: string | null) {
  const desk = useDesk();
  const { opened } = useLiveState();
  const [state, setState] = useState<ChatState | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const load = useCallback(async () => {
    if (id === null) return setState(null);
    try {
      setState(await desk.ask('chats.open', { chat: id }));
      setError(null);
    } catch (fault) {
      setState(null);
      setError(fault as Error);
    }
  }, [desk, id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was missed with the connection is asked for again
  useEffect(() => void load(), [load, opened]);
  useHear((event) => {
    if (event.type === 'chats' || (event.type === 'chat-path' && event.chat === id)) return void load();
    if ((event.type !== 'chat-message' && event.type !== 'chat-text') || event.chat !== id) return;
    setState((now) => now && { ...now, messages: after(now.messages, event) });
  });
  const older = async () => {
    const [first] = state?.messages ?? [];
    if (id === null || first === undefined) return;
    const found = await desk.ask('chats.open', { chat: id, before: first.id });
    setState((now) => now && { ...now, messages: [...found.messages, ...now.messages], more: found.more });
  };
  return { state: state?.chat.id === id ? state : null, error, older };
}
