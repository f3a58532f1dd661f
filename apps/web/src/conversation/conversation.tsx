import type { ReviewMessage, Conversation as Talk } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { visible, visibleLines } from '@svc/text';
import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { ErrorMessage, Loaded, moment } from '../account/parts.tsx';
import { useDraft } from '../account/use-draft.ts';
import { useChange } from '../account/use-store.ts';
import { useLive } from '../dashboard/use-live.ts';
import { WORDS } from './words.ts';

type Side = ReviewMessage['side'];

/** Where each side reads and writes what is said about a version. */
export const conversationPath = (side: Side, appId: string, version: string): string =>
  `/api/${side === 'store' ? 'moderation/' : ''}apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}/messages`;

const nameOf = ({ name, isYours, side }: ReviewMessage): string =>
  isYours ? WORDS.you : visible(name ?? WORDS.sides[side]);

/** A message as text: whatever it looks like, nothing of it is markup. */
function Message({ message }: { message: ReviewMessage }) {
  const { side, role, at, requestsChanges, text } = message;
  return (
    <li className={`message ${side}`}>
      <p className="soft">
        <strong>
          <bdi>{nameOf(message)}</bdi>
        </strong>
        , {WORDS.roles[role]} · <time dateTime={at}>{moment(at)}</time>{' '}
        {requestsChanges ? <span className="badge mild">{WORDS.requestBadge}</span> : null}
      </p>
      <p className="message-text" dir="auto">
        {visibleLines(text)}
      </p>
    </li>
  );
}

function WriteForm({ path, side }: { path: string; side: Side }) {
  const queries = useQueryClient();
  const { draft, change, forget } = useDraft(`message ${path}`, { text: '' });
  const send = useChange<Talk, string>((text) => ({ method: 'POST', path, json: { text } }));
  const text = draft.text.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate(text, {
      onSuccess: (talk) => {
        queries.setQueryData([path], talk);
        forget({ text: '' });
      },
    });
  };
  return (
    <form className="fields" onSubmit={submit}>
      <label>
        {WORDS.write[side]}
        <small>{WORDS.hint[side]}</small>
        <textarea
          rows={3}
          maxLength={LIMITS.note}
          value={draft.text}
          onChange={({ target }) => change({ text: target.value })}
        />
      </label>
      <ErrorMessage error={send.error} />
      <div className="buttons">
        <button type="submit" disabled={text === '' || send.isPending}>
          {send.isPending ? WORDS.sending : WORDS.send[side]}
        </button>
      </div>
    </form>
  );
}

function Body({ talk, path, side }: { talk: Talk; path: string; side: Side }) {
  const { messages, changesRequestedAt, left, status } = talk;
  const isOpen = status === 'in_review';
  return (
    <>
      {changesRequestedAt === null ? null : (
        <p className="note">{WORDS.requested(moment(changesRequestedAt))}</p>
      )}
      {messages.length === 0 ? <p className="soft">{WORDS.none}</p> : null}
      <ol className="conversation">
        {messages.map((message) => (
          <Message key={message.number} message={message} />
        ))}
      </ol>
      {isOpen && left > 0 ? <WriteForm path={path} side={side} /> : null}
      {isOpen && left === 0 ? <p className="soft">{WORDS.full}</p> : null}
      {!isOpen && messages.length > 0 ? <p className="soft">{WORDS.ended}</p> : null}
    </>
  );
}

/** What moderators and the publisher said about a version, asked for again while it is in review. */
export const useTalk = (side: Side, appId: string, version: string) =>
  useLive<Talk>(conversationPath(side, appId, version), ({ status }) => status === 'in_review');

/**
 * What moderators and the publisher said about a version, with a field to say more while it is in review. Of a version that
 * is not in review and was not spoken about it shows nothing.
 */
export function Conversation({ side, appId, version }: { side: Side; appId: string; version: string }) {
  const path = conversationPath(side, appId, version);
  const talk = useTalk(side, appId, version);
  // On the moderator's page it is a card among others, on the publisher's a part of the card of a version.
  const Heading = side === 'store' ? 'h2' : 'h3';
  if (talk.data && talk.data.status !== 'in_review' && talk.data.messages.length === 0) return null;
  return (
    <section className={side === 'store' ? 'card talk' : 'talk'} aria-label={WORDS.title}>
      <Heading>{WORDS.title}</Heading>
      <Loaded query={talk}>{(data) => <Body talk={data} path={path} side={side} />}</Loaded>
    </section>
  );
}
