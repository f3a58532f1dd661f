import { guarded } from '@svc/contracts/guarded';
import type { PageEvents } from '../events/page-events.ts';
import type { ChatMessage, ChatStatus } from '../wire/chat.ts';
import type { Conversations } from './conversations.ts';
import type { Draft } from './turn.ts';

/** How often a streamed answer is written to disk, in milliseconds. */
const FLUSH_MS = 500;

type Deps = {
  chat: string;
  message: ChatMessage;
  conversations: Pick<Conversations, 'write'>;
  events: PageEvents;
  /** Returns the revision of the next change. */
  nextRev(): number;
  /** Receives an error of a write to disk. The answer goes on, and its next change is written again. */
  onFault(error: unknown): void;
};

export type OpenDraft = Draft & { end(status: ChatStatus, fault: ChatMessage['fault']): void };

/** Creates an answer in progress. Pages are notified immediately; the disk is written twice a second. */
export function createDraft({ chat, message: first, conversations, events, nextRev, onFault }: Deps) {
  let message: ChatMessage = { ...first, status: 'running', fault: null };
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    conversations.write(message.id, message);
  }
  const flushSoon = () => {
    timer ??= setTimeout(guarded(flush, onFault), FLUSH_MS);
  };
  const emitMessage = () => events.emit({ type: 'chat-message', chat, rev: nextRev(), message });

  const draft: OpenDraft = {
    get message() {
      return message;
    },
    set(changes) {
      message = { ...message, ...changes };
      emitMessage();
      flushSoon();
    },
    append(type, step, text) {
      const at = message.parts.length - 1;
      const last = message.parts[at];
      if (last?.type !== type || last.step !== step) {
        draft.set({ parts: [...message.parts, { type, step, text }] });
        return;
      }
      message = { ...message, parts: message.parts.with(at, { ...last, text: last.text + text }) };
      const position = { chat, message: message.id, part: at };
      events.emit({ type: 'chat-text', ...position, rev: nextRev(), text });
      flushSoon();
    },
    end(status, fault) {
      message = { ...message, status, fault };
      try {
        flush();
      } finally {
        emitMessage();
      }
    },
  };
  draft.set({});
  return draft;
}
