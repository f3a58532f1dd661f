import { Icon } from '@svc/ui';
import { useEffect, useRef } from 'react';
import { useStickToBottom } from 'use-stick-to-bottom';
import type { ChatMessage } from '../../../src/wire/chat.ts';
import { useLiveState } from '../wire/use-desktop.ts';
import { Message } from './message.tsx';
import type { ChatState } from './use-chat.ts';

/** How many messages and questions arrived since the end was last in view. */
function useUnseen({ chat, messages }: ChatState, isAtEnd: boolean): number {
  const { cards } = useLiveState();
  const waiting = cards.filter((card) => card.chat === chat.id);
  const seen = useRef<{ message: number; cards: ReadonlySet<string> }>({ message: 0, cards: new Set() });
  useEffect(() => {
    if (isAtEnd)
      seen.current = { message: messages.at(-1)?.id ?? 0, cards: new Set(waiting.map(({ id }) => id)) };
  });
  const { message, cards: known } = seen.current;
  return messages.filter(({ id }) => id > message).length + waiting.filter(({ id }) => !known.has(id)).length;
}

/**
 * The messages. The view follows what grows while the end is in view. A message of the user and a card that waits bring the end back into
 * view; anything else is counted on a button.
 */
export function Thread({
  state,
  older,
  edit,
}: {
  state: ChatState;
  older(): void;
  edit(message: ChatMessage): void;
}) {
  const { scrollRef, contentRef, isAtBottom, scrollToBottom } = useStickToBottom({
    initial: 'instant',
    resize: 'instant',
  });
  const { chat, messages, more } = state;
  const unseen = useUnseen(state, isAtBottom);
  const { cards } = useLiveState();
  const ownMessage = messages.findLast(({ role }) => role === 'user')?.id ?? 0;
  const card = cards.findLast((waiting) => waiting.chat === chat.id)?.id ?? '';
  const brought = useRef({ ownMessage, card: '' });
  useEffect(() => {
    const { ownMessage: message, card: before } = brought.current;
    brought.current = { ownMessage, card };
    if (ownMessage > message || (card !== '' && card !== before)) void scrollToBottom('instant');
  }, [ownMessage, card, scrollToBottom]);
  return (
    <div className="thread-place">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section className="thread" ref={scrollRef} tabIndex={0} aria-label="Thread">
        <div ref={contentRef}>
          {more ? (
            <button type="button" onClick={older}>
              Show earlier messages
            </button>
          ) : null}
          {messages.map((message) => (
            <Message key={message.id} chat={chat.id} message={message} edit={edit} />
          ))}
        </div>
      </section>
      {isAtBottom ? null : (
        <button type="button" className="jump" onClick={() => void scrollToBottom('instant')}>
          <Icon name="arrow-down" /> {'Jump to latest'}
          {unseen > 0 ? <span className="badge now">{`${unseen} new`}</span> : null}
        </button>
      )}
    </div>
  );
}
