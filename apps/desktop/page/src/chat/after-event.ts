import type { ChatEvent, ChatMessage } from '../../../src/wire/chat.ts';

/** An event that changes a message. */
export type MessageEvent = Extract<ChatEvent, { rev: number }>;

/** The shown messages of a conversation, and the revision of the last change applied to them. */
export type Shown = { messages: readonly ChatMessage[]; rev: number };

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
