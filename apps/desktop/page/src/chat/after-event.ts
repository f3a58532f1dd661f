import type { ChatEvent, ChatMessage } from '../../../src/wire/chat.ts';

/** An event that changes a message. */
export type MessageEvent = Extract<ChatEvent, { rev: number }>;

/** What is shown of a conversation: its messages, and the number of the last change that is in them. */
export type Shown = { messages: readonly ChatMessage[]; rev: number };

function changed(messages: readonly ChatMessage[], event: MessageEvent): readonly ChatMessage[] | null {
  const id = event.type === 'chat-message' ? event.message.id : event.message;
  const at = messages.findLastIndex((one) => one.id === id);
  const found = messages[at];
  if (event.type === 'chat-message') {
    if (found) return messages.with(at, { ...event.message, branches: found.branches });
    // An answer to the last message that is shown. Any other new message is of a branch that is not shown.
    return event.message.parent === (messages.at(-1)?.id ?? null) ? [...messages, event.message] : messages;
  }
  if (found === undefined) return messages;
  const part = found.parts[event.part];
  if (part === undefined || !('text' in part)) return null;
  const parts = found.parts.with(event.part, { ...part, text: part.text + event.text });
  return messages.with(at, { ...found, parts });
}

/**
 * What is shown after an event. One that is in it already changes nothing.
 * @returns null when a change before it is missing: the conversation has to be asked for again
 */
export function afterEvent<State extends Shown>(shown: State, event: MessageEvent): State | null {
  if (event.rev <= shown.rev) return shown;
  const messages = changed(shown.messages, event);
  return messages && { ...shown, messages, rev: event.rev };
}

/** Messages of an answer of the desktop. Those that are shown as they are stay the same objects, which are not drawn again. */
function withSame(fresh: readonly ChatMessage[], before: readonly ChatMessage[]): readonly ChatMessage[] {
  const known = new Map(before.map((message) => [message.id, message]));
  return fresh.map((message) => {
    const shown = known.get(message.id);
    return shown && JSON.stringify(shown) === JSON.stringify(message) ? shown : message;
  });
}

/** The newest messages in front of which those stay that were shown before them, while they are of the same branch. */
export function withEarlier<State extends Shown & { more: boolean }>(
  fresh: State,
  before: State | null,
): State {
  const first = fresh.messages[0];
  const at = first ? (before?.messages.findIndex(({ id }) => id === first.id) ?? -1) : -1;
  if (!before || at < 0) return fresh;
  const messages = withSame(fresh.messages, before.messages);
  if (at === 0) return { ...fresh, messages };
  return { ...fresh, messages: [...before.messages.slice(0, at), ...messages], more: before.more };
}
