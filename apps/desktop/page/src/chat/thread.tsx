import { visible } from '@svc/text';
import { Button, ConfirmButton, CopyButton, ErrorMessage, Fault, Icon } from '@svc/ui';
import { memo, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { useStickToBottom } from 'use-stick-to-bottom';
import type { ChatMessage, ChatPart, ModelFault, NoticeCode } from '../../../src/wire/chat.ts';
import { Together } from '../cards/card-group.tsx';
import { Guarded, textOfAny } from '../parts/guarded.tsx';
import { useFocusBack } from '../parts/use-focus-back.ts';
import { hashOf } from '../routes.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopMutation, useLiveState } from '../wire/use-desktop.ts';
import { Attached, CallRow } from './call-row.tsx';
import { RetryWith } from './chat-head.tsx';
import { Markdown } from './markdown.tsx';
import type { ChatState } from './use-chat.ts';
import { type Found, useFound } from './use-found.ts';

const NOTICES: Readonly<Record<NoticeCode, string>> = {
  trimmed: 'The conversation is too long for this model: earlier messages were left out.',
  'no-tools': 'This model cannot call tools. It answered without your apps.',
  'no-pictures': 'This model cannot read pictures. It answered without them.',
  early: 'The provider ended this answer early: something may be missing.',
  empty: 'The model ended without a word.',
  cut: 'The answer reached the model’s length limit. Ask it to continue.',
  removed: 'You deleted this message.',
  filtered: 'The model or its provider’s filter stopped the answer.',
};

type PartProps = { chat: string; message: ChatMessage; part: ChatPart };

function Part({ chat, message, part }: PartProps) {
  switch (part.type) {
    case 'text':
      return message.role === 'user' ? (
        <p className="said" dir="auto">
          {visible(part.text)}
        </p>
      ) : (
        <Markdown text={part.text} />
      );
    case 'reasoning':
      return (
        <details className="reasoning">
          <summary>Reasoning</summary>
          <p className="plain soft">{visible(part.text)}</p>
        </details>
      );
    case 'file':
      return <Attached file={part.file} />;
    case 'call':
      return <CallRow chat={chat} message={message} call={part.call} />;
    case 'usage':
      return null;
    case 'notice':
      return <p className="notice">{NOTICES[part.code]}</p>;
  }
}

const keyOf = (part: ChatPart, index: number): string =>
  part.type === 'call' ? part.call.id : `${index} ${part.type}`;

/** What helps after a fault: the settings of models, or the same request once more. */
const HELP: Readonly<Record<ModelFault, 'models' | 'retry'>> = {
  'no-provider': 'models',
  unreachable: 'models',
  address: 'models',
  key: 'models',
  model: 'models',
  'no-tools': 'models',
  'no-pictures': 'models',
  'no-system': 'models',
  history: 'models',
  context: 'models',
  busy: 'retry',
  silent: 'retry',
  'too-long': 'retry',
  flood: 'retry',
  cut: 'retry',
  garbage: 'retry',
  empty: 'retry',
  failed: 'retry',
};

const helpFor = ({ status, fault }: ChatMessage) =>
  status === 'failed' ? HELP[fault?.code ?? 'failed'] : null;

/** Answers a message of the user once more, as a branch. */
function RetryAnswer({ chat, message, className }: { chat: string; message: number; className: string }) {
  const retry = useDesktopMutation('chats.retry');
  return <Button label="Retry" className={className} onClick={() => retry.mutate({ chat, message })} />;
}

/** How an answer ended, unless it is complete. */
function Ending({ chat, message }: { chat: string; message: ChatMessage }) {
  const continueAnswer = useDesktopMutation('chats.continue');
  const { status, fault, parts, id } = message;
  if (status === 'running')
    return parts.length === 0 ? (
      <p className="soft">{message.waitsFor ? 'Waiting for the tools of your apps…' : 'Thinking…'}</p>
    ) : null;
  if (status === 'failed')
    return (
      <Fault>
        {visible(fault?.message ?? '')}{' '}
        {helpFor(message) === 'models' ? (
          <a className="button" href={hashOf('settings', 'models')}>
            Models
          </a>
        ) : (
          <RetryAnswer chat={chat} message={id} className="" />
        )}
      </Fault>
    );
  if (status === 'asks')
    return (
      <p className="notice">
        The answer reached the step limit.{' '}
        <Button label="Continue" onClick={() => continueAnswer.mutate({ chat, message: id })} />
      </p>
    );
  return status === 'done' ? null : (
    <p className="soft">
      {status === 'stopped'
        ? 'You stopped this answer.'
        : 'svc desktop quit before this answer was complete.'}
    </p>
  );
}

function Branches({ chat, message: { id, branches } }: { chat: string; message: ChatMessage }) {
  const select = useDesktopMutation('chats.select');
  if (branches.length < 2) return null;
  const at = branches.indexOf(id);
  const show = (message: number | undefined) => message !== undefined && select.mutate({ chat, message });
  return (
    <span className="branches">
      <Button
        label="‹"
        className="quiet small"
        aria-label="Previous version"
        disabled={at < 1}
        onClick={() => show(branches[at - 1])}
      />
      <span role="img" aria-label={`Answer ${at + 1} of ${branches.length}`}>
        {at + 1}/{branches.length}
      </span>
      <Button
        label="›"
        className="quiet small"
        aria-label="Next version"
        disabled={at > branches.length - 2}
        onClick={() => show(branches[at + 1])}
      />
    </span>
  );
}

/** Token usage of all requests of the answer, as the provider reports it. */
function Usage({ parts }: { parts: readonly ChatPart[] }) {
  const usages = parts.filter((part) => part.type === 'usage');
  if (usages.length === 0) return null;
  const sum = (tokensOf: (usage: (typeof usages)[number]) => number) =>
    usages.reduce((total, usage) => total + tokensOf(usage), 0);
  return (
    <span>
      {`${sum(({ input }) => input).toLocaleString('en')} tokens in, ${sum(({ output }) => output).toLocaleString('en')} out`}
    </span>
  );
}

const plainText = ({ parts }: ChatMessage): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');

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

/** A message with its actions. It is rendered again only when it changes. */
const Message = memo(function Message({
  chat,
  message,
  edit,
}: {
  chat: string;
  message: ChatMessage;
  edit(message: ChatMessage): void;
}) {
  const isUser = message.role === 'user';
  return (
    <article
      data-message={message.id}
      className={`message ${message.role}`}
      aria-label={isUser ? 'You' : visible(message.model ?? '')}
    >
      {isUser ? null : <p className="who">{visible(message.model ?? '')}</p>}
      {message.parts.map((part, index) => (
        <Part key={keyOf(part, index)} {...{ chat, message, part }} />
      ))}
      {message.status === 'running' ? <Together chat={chat} /> : null}
      <Ending chat={chat} message={message} />
      {message.status === 'running' ? null : (
        <div className="message-tools">
          <Branches chat={chat} message={message} />
          <CopyButton text={plainText(message)} />
          {isUser ? (
            <Button label="Edit" className="quiet small" onClick={() => edit(message)} />
          ) : message.parent === null ? null : (
            <>
              {helpFor(message) === 'retry' ? null : (
                <RetryAnswer chat={chat} message={message.id} className="quiet small" />
              )}
              <RetryWith chat={chat} message={message.id} />
            </>
          )}
          <Usage parts={message.parts} />
        </div>
      )}
    </article>
  );
});

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

/** Keeps the message that was the first at the upper edge when earlier ones come before it. */
function useReadersPlace(messages: readonly ChatMessage[], content: RefObject<HTMLElement | null>): void {
  const first = useRef(messages[0]?.id);
  useLayoutEffect(() => {
    const at = messages.findIndex(({ id }) => id === first.current);
    first.current = messages[0]?.id;
    if (at > 0) content.current?.querySelectorAll('.message')[at]?.scrollIntoView();
  }, [messages, content]);
}

/**
 * The messages. The view follows what grows while the end is in view. A message of the user and a card that waits bring the end back into
 * view; anything else is counted on a button.
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
  const { scrollRef, contentRef, isAtBottom, scrollToBottom } = useStickToBottom({
    initial: found ? false : 'instant',
    resize: 'instant',
  });
  const wasAtBottom = useRef(isAtBottom);
  const { chat, messages, more, newer } = state;
  const unseen = useUnseen(state, isAtBottom);
  useReadersPlace(messages, contentRef);
  useFound(found, contentRef);
  useEffect(() => {
    wasAtBottom.current = isAtBottom;
  }, [isAtBottom]);
  useEffect(() => {
    const thread = scrollRef.current;
    if (!thread) return;
    // The library follows what is in the thread, not what takes its place, such as a list of prompts. What has the focus stays in view.
    const follow = () => {
      const focused = thread.querySelector(':focus-visible');
      if (focused) focused.scrollIntoView({ block: 'nearest' });
      else if (wasAtBottom.current) void scrollToBottom('instant');
    };
    const observer = new ResizeObserver(follow);
    observer.observe(thread);
    return () => observer.disconnect();
  }, [scrollRef, scrollToBottom]);
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
          {more ? <Earlier older={older} /> : null}
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
