import type { AuthorRole, Conversation as ConversationData, ReviewMessage } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { visible, visibleLines } from '@svc/text';
import { Form, Loaded, moment, TextArea } from '@svc/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useChange, useDraft } from '../account/use-store.ts';
import { useLive } from '../dashboard/use-live.ts';

/** Texts of the conversation about a version. A translation is another record of the same shape. */
const WORDS = {
  title: 'Conversation',
  requested: (since: string) =>
    `Changes requested ${since}. The review continues when the publisher answers.`,
  none: 'No messages yet.',
  requestBadge: 'requests changes',
  you: 'you',
  roles: {
    moderator: 'moderator',
    owner: 'owner of the publisher',
    member: 'member of the publisher',
    automation: 'automation',
  } satisfies Record<AuthorRole, string>,
  sides: { store: 'Store', publisher: 'Publisher' },
  write: { store: 'Message to the publisher', publisher: 'Message to the moderators' },
  hint: {
    store: 'Members of the publisher read it here and by mail, with your name.',
    publisher: 'Moderators read it. To change the bundle, increase the version and publish again.',
  },
  send: { store: 'Send message', publisher: 'Send answer' },
  sending: 'Sending…',
  empty: 'Write a message first.',
  full: 'You have reached the maximum number of messages.',
  paused: 'New messages are possible after the suspension.',
  ended: 'The review has ended. New messages are not possible.',
} as const;

type Side = ReviewMessage['side'];

type Ref = { appId: string; version: string };

/** The request that reads the conversation about a version, for each side. */
export const conversationRequest = (side: Side, { appId, version }: Ref) =>
  side === 'store'
    ? apiRequest('GET /api/moderation/apps/:appId/versions/:version/messages', { params: { appId, version } })
    : apiRequest('GET /api/apps/:appId/versions/:version/messages', { params: { appId, version } });

const messageRequest = (side: Side, params: Ref, json: { text: string }) =>
  side === 'store'
    ? apiRequest('POST /api/moderation/apps/:appId/versions/:version/messages', { params, json })
    : apiRequest('POST /api/apps/:appId/versions/:version/messages', { params, json });

const nameOf = ({ name, isYours, side }: ReviewMessage): string =>
  isYours ? WORDS.you : visible(name ?? WORDS.sides[side]);

/** A message as plain text: markup in it is not interpreted. */
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

function WriteForm({ side, appId, version }: Ref & { side: Side }) {
  const queries = useQueryClient();
  const { path } = conversationRequest(side, { appId, version });
  const { draft, change, clear } = useDraft(`message ${path}`, { text: '' });
  const send = useChange((message: string) => messageRequest(side, { appId, version }, { text: message }));
  const text = draft.text.trim();
  const submit = () =>
    send.mutate(text, {
      onSuccess: (conversation) => {
        queries.setQueryData([path], conversation);
        clear({ text: '' });
      },
    });
  return (
    <Form
      action={send.isPending ? WORDS.sending : WORDS.send[side]}
      tone="plain"
      busy={send.isPending}
      why={text === '' ? WORDS.empty : null}
      submit={submit}
      error={send.error}
    >
      <TextArea
        label={WORDS.write[side]}
        hint={WORDS.hint[side]}
        rows={3}
        maxLength={LIMITS.note}
        value={draft.text}
        onChange={({ target }) => change({ text: target.value })}
      />
    </Form>
  );
}

function Body({ conversation, ...shown }: Ref & { conversation: ConversationData; side: Side }) {
  const { messages, changesRequestedAt, left: remaining, status } = conversation;
  const isOpen = status === 'in_review';
  const written = messages.filter(({ side }) => side === shown.side).length;
  return (
    <>
      {changesRequestedAt === null ? null : (
        <p className="callout">{WORDS.requested(moment(changesRequestedAt))}</p>
      )}
      {messages.length === 0 ? <p className="soft">{WORDS.none}</p> : null}
      <ol className="conversation" aria-live="polite">
        {messages.map((message) => (
          <Message key={message.number} message={message} />
        ))}
      </ol>
      {isOpen && remaining > 0 ? <WriteForm {...shown} /> : null}
      {isOpen && remaining === 0 ? (
        <p className="soft">{written < LIMITS.moderation.messages ? WORDS.paused : WORDS.full}</p>
      ) : null}
      {!isOpen && messages.length > 0 ? <p className="soft">{WORDS.ended}</p> : null}
    </>
  );
}

/** Reads the conversation about a version, and polls it while the version is in review. */
export const useConversation = (side: Side, appId: string, version: string) =>
  useLive(conversationRequest(side, { appId, version }), ({ status }) => status === 'in_review');

/**
 * The conversation of moderators and publisher about a version, with a message field while it is in review. Shows nothing for
 * a version that is not in review and has no messages.
 */
export function Conversation({ side, appId, version }: { side: Side; appId: string; version: string }) {
  const query = useConversation(side, appId, version);
  // A card on the page of the moderator, and part of the version's card on the page of the publisher.
  const Heading = side === 'store' ? 'h2' : 'h3';
  if (query.data && query.data.status !== 'in_review' && query.data.messages.length === 0) return null;
  return (
    <section className={side === 'store' ? 'card talk' : 'talk'} aria-label={WORDS.title}>
      <Heading>{WORDS.title}</Heading>
      <Loaded query={query}>
        {(data) => <Body conversation={data} side={side} appId={appId} version={version} />}
      </Loaded>
    </section>
  );
}
