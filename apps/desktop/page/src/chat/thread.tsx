import { visible } from '@svc/text';
import { Button, ConfirmButton, ErrorMessage, Icon } from '@svc/ui';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { type StickToBottomInstance, useStickToBottom } from 'use-stick-to-bottom';
import type { ChatMessage, LinkedChat } from '../../../src/wire/chat.ts';
import { endOfThread } from '../cards/card-place.ts';
import { Guarded, textOfAny } from '../parts/guarded.tsx';
import { useFocusBack } from '../parts/use-focus-back.ts';
import { hashOf } from '../routes.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopMutation, useLiveState } from '../wire/use-desktop.ts';
import { Announcements } from './announcements.tsx';
import { Message, plainText } from './message.tsx';
import type { ChatState } from './use-chat.ts';
import { type Found, useFound } from './use-found.ts';

/** All that a message says, also of its calls. */
const wholeText = (message: ChatMessage): string => plainText(message) || textOfAny(message.parts);

/** Deletes what a message says. Its place stays, with what was said after it. */
function DeleteMessage({ chat, message }: { chat: string; message: ChatMessage }) {
  const remove = useDesktopMutation('chats.removeMessage');
  return (
    <>
      <ConfirmButton
        label="Delete"
        sure="Delete this message? This cannot be undone."
        act={() => remove.mutate({ chat, message: message.id })}
      />
      <ErrorMessage error={remove.error} />
    </>
  );
}

/** How many messages and questions arrived since the end was last in view. */
function useUnseen({ chat, messages }: ChatState, isAtEnd: boolean): number {
  const { cards } = useLiveState();
  const waiting = cards.filter((card) => card.chat === chat.id);
  const seen = useRef<{ message: number; cards: ReadonlySet<string> }>({
    message: messages.at(-1)?.id ?? 0,
    cards: new Set(),
  });
  useEffect(() => {
    if (isAtEnd)
      seen.current = { message: messages.at(-1)?.id ?? 0, cards: new Set(waiting.map(({ id }) => id)) };
  });
  const { message, cards: known } = seen.current;
  return messages.filter(({ id }) => id > message).length + waiting.filter(({ id }) => !known.has(id)).length;
}

/** Shown while the end of the thread is out of view. */
function Jump({ unseen, jump }: { unseen: number; jump(): void }) {
  return (
    <Button ref={useFocusBack<HTMLButtonElement>()} className="jump" onClick={jump}>
      <Icon name="arrow-down" /> {'Jump to latest'}
      {unseen > 0 ? <span className="badge now">{`${unseen} new`}</span> : null}
    </Button>
  );
}

/** Shown while there are messages before the first. When it goes, the thread has the focus: those messages are at its beginning. */
function Earlier({ older }: { older(): void }) {
  return (
    <Button label="Show earlier messages" ref={useFocusBack<HTMLButtonElement>('.thread')} onClick={older} />
  );
}

/** A link to the conversation that this one continues, or that continues it. */
const Linked = ({ words, to: { id, title } }: { words: string; to: LinkedChat }) => (
  <p className="notice">
    {words} <a href={hashOf('chat', id)}>{visible(title) || 'New conversation'}</a>
  </p>
);

/** Keeps the message that was the first at the upper edge when earlier ones come before it. */
function useReadersPlace(messages: readonly ChatMessage[], content: RefObject<HTMLElement | null>): void {
  const first = useRef(messages[0]?.id);
  useLayoutEffect(() => {
    const at = messages.findIndex(({ id }) => id === first.current);
    first.current = messages[0]?.id;
    if (at > 0) content.current?.querySelectorAll('.message')[at]?.scrollIntoView();
  }, [messages, content]);
}

/** Keeps the end in view, or what has the focus, when something beside the thread takes its place or goes, such as a list of prompts. */
function useOwnHeight({ scrollRef, isAtBottom, scrollToBottom, state }: StickToBottomInstance): void {
  const wasAtBottom = useRef(isAtBottom);
  useEffect(() => {
    wasAtBottom.current = isAtBottom;
  }, [isAtBottom]);
  useEffect(() => {
    const thread = scrollRef.current;
    if (!thread) return;
    const observer = new ResizeObserver(() => {
      // The end of a higher thread is at a lower offset. As when its content changes, what scrolls until the next frame is not the user.
      const resize = performance.now();
      state.resizeDifference = resize;
      const end = () => {
        if (state.resizeDifference === resize) state.resizeDifference = 0;
      };
      requestAnimationFrame(() => setTimeout(end, 1));
      const focused = thread.querySelector(':focus-visible');
      if (focused) focused.scrollIntoView({ block: 'nearest' });
      else if (wasAtBottom.current) void scrollToBottom('instant');
    });
    observer.observe(thread);
    return () => observer.disconnect();
  }, [scrollRef, scrollToBottom, state]);
}

/**
 * The messages. The view follows what grows while the end is in view, but never past a card that waits. A message of the user and a card
 * bring the end back into view; anything else is counted on a button.
 */
export function Thread({
  state,
  older,
  edit,
  found,
}: {
  state: ChatState;
  older(): void;
  edit(message: ChatMessage): void;
  found: Found | null;
}) {
  const place = useStickToBottom({
    initial: found ? false : 'instant',
    resize: 'instant',
    targetScrollTop: endOfThread,
  });
  const { scrollRef, contentRef, isAtBottom, scrollToBottom } = place;
  useOwnHeight(place);
  const { chat, messages, more, newer, linked } = state;
  const unseen = useUnseen(state, isAtBottom);
  useReadersPlace(messages, contentRef);
  useFound(found, contentRef);
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
      <Announcements state={state} />
      {/* A log, but silent: an answer is written in hundreds of parts, and its end is announced. */}
      <section
        className="thread"
        ref={scrollRef}
        role="log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
        tabIndex={0}
        aria-label="Thread"
      >
        <div ref={contentRef}>
          {more ? <Earlier older={older} /> : null}
          {linked?.from && !more ? <Linked words="Continues" to={linked.from} /> : null}
          {messages.map((message) => (
            <Guarded
              key={message.id}
              what="message"
              of={message}
              text={() => wholeText(message)}
              actions={<DeleteMessage chat={chat.id} message={message} />}
            >
              <Message chat={chat.id} message={message} edit={edit} />
            </Guarded>
          ))}
          {linked?.next && !newer ? <Linked words="Continued in" to={linked.next} /> : null}
        </div>
      </section>
      {isAtBottom && !newer ? null : (
        <Jump
          unseen={unseen}
          jump={() => (newer ? go(hashOf('chat', chat.id)) : void scrollToBottom('instant'))}
        />
      )}
    </div>
  );
}
