import { visible } from '@svc/text';
import { Button, CopyButton, Fault, Icon } from '@svc/ui';
import { memo } from 'react';
import type { ChatMessage, ChatPart, ModelFault, NoticeCode } from '../../../src/wire/chat.ts';
import { Together } from '../cards/card-group.tsx';
import { hashOf } from '../routes.ts';
import { useDesktopMutation } from '../wire/use-desktop.ts';
import { Attached } from './call-result.tsx';
import { CallRow } from './call-row.tsx';
import { Markdown } from './markdown.tsx';
import { RetryWith } from './retry-with.tsx';

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
    case 'summary':
      return <Summary {...part} />;
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

/** What a model wrote of the conversation that this one continues. */
const Summary = ({ text, from, isShortened }: Extract<ChatPart, { type: 'summary' }>) => (
  <details className="summary" open>
    <summary>{`Summary of ${visible(from.title) || 'the earlier conversation'}, by the model`}</summary>
    {isShortened ? <p className="notice">Its earliest messages are not in the summary.</p> : null}
    <Markdown text={text} />
  </details>
);

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
function RetryAnswer({ chat, message, isIcon }: { chat: string; message: number; isIcon?: true }) {
  const retry = useDesktopMutation('chats.retry');
  const again = () => retry.mutate({ chat, message });
  if (!isIcon) return <Button label="Retry" onClick={again} />;
  return (
    <Button className="quiet small icon-button" aria-label="Retry" title="Retry" onClick={again}>
      <Icon name="refresh-cw" />
    </Button>
  );
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
          <RetryAnswer chat={chat} message={id} />
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
        label={<Icon name="chevron-left" />}
        className="quiet small icon-button"
        aria-label="Previous version"
        disabled={at < 1}
        onClick={() => show(branches[at - 1])}
      />
      <span role="img" aria-label={`Answer ${at + 1} of ${branches.length}`}>
        {at + 1}/{branches.length}
      </span>
      <Button
        label={<Icon name="chevron-right" />}
        className="quiet small icon-button"
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

export const plainText = ({ parts }: ChatMessage): string =>
  parts.flatMap((part) => (part.type === 'text' || part.type === 'summary' ? [part.text] : [])).join('\n\n');

type MessageProps = { chat: string; message: ChatMessage; edit(message: ChatMessage): void };

const isSummary = ({ parts }: ChatMessage): boolean => parts.some(({ type }) => type === 'summary');

/** What can be done with an answer. */
function AnswerTools({ chat, message }: Pick<MessageProps, 'chat' | 'message'>) {
  return (
    <>
      {helpFor(message) === 'retry' ? null : <RetryAnswer chat={chat} message={message.id} isIcon />}
      <RetryWith chat={chat} message={message.id} />
    </>
  );
}

function MessageTools({ chat, message, edit }: MessageProps) {
  const isUser = message.role === 'user';
  return (
    <div className="message-tools">
      <Branches chat={chat} message={message} />
      <CopyButton text={plainText(message)} className="quiet small icon-button" isIcon />
      {isUser && !isSummary(message) ? (
        <Button
          label={<Icon name="pencil" />}
          className="quiet small icon-button"
          aria-label="Edit"
          title="Edit"
          onClick={() => edit(message)}
        />
      ) : null}
      {isUser || message.parent === null ? null : <AnswerTools chat={chat} message={message} />}
      <Usage parts={message.parts} />
    </div>
  );
}

/** A message with its actions. It is rendered again only when it changes. */
export const Message = memo(function Message({ chat, message, edit }: MessageProps) {
  const isUser = message.role === 'user';
  const author = isUser ? 'You' : visible(message.model ?? '');
  return (
    <article
      data-message={message.id}
      className={`message ${isSummary(message) ? 'of-summary' : message.role}`}
      aria-label={isSummary(message) ? 'Summary' : author}
    >
      {isUser ? null : <p className="who">{visible(message.model ?? '')}</p>}
      {message.parts.map((part, index) => (
        <Part key={keyOf(part, index)} {...{ chat, message, part }} />
      ))}
      {message.status === 'running' ? <Together chat={chat} /> : null}
      <Ending chat={chat} message={message} />
      {message.status === 'running' ? null : <MessageTools {...{ chat, message, edit }} />}
    </article>
  );
});
