import {
  type AuthorRole,
  type CannedReason,
  type Conversation,
  LIMITS,
  type ModeratorMessage,
  type PublisherMessage,
  type ReviewMessage,
  type TokenScope,
} from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import {
  type Caller,
  personId,
  personName,
  requireApp,
  requireMember,
  requireScope,
} from '../domain/identity/caller.ts';
import { requireUnsuspended } from '../domain/identity/suspension.ts';
import { mailUser, notifyMembers, type PostDeps } from '../domain/mail/post-mail.ts';
import type { ChangeParts, Stores } from '../domain/parts/parts.ts';
import type { StoredMessage } from '../domain/versions/review-store.ts';
import type { VersionRecord, VersionRef } from '../domain/versions/version-record.ts';
import { requireVersion } from '../domain/versions/version-status.ts';
import { rejectionNotes } from './canned-reasons.ts';
import { requireNoLockOfOthers, requireWaiting } from './lock-review.ts';

type ReadStores = Pick<Stores, 'versions' | 'reviews' | 'messages' | 'people'>;

export type ConversationDeps = ChangeParts &
  ReadStores & { policy: { cannedReasons: readonly CannedReason[] } };

type Side = ReviewMessage['side'];

/** A message to write, by an author who may write it. */
type Writing = { side: Side; text: string; requestsChanges: boolean; override: boolean };

/** Ids of the persons who wrote some messages, each once. Automation and the tokens of publishers are no persons. */
const authorIds = (messages: readonly StoredMessage[]): string[] => [
  ...new Set(messages.flatMap(({ author }) => personId(author) ?? [])),
];

/** Refuses a caller that may not act for the publisher of a version. */
function requirePublisher(
  caller: Caller,
  { appId, publisher }: VersionRecord,
  ...scopes: readonly TokenScope[]
): void {
  requireMember(caller, publisher);
  requireApp(caller, appId);
  requireScope(caller, ...scopes);
}

function roleOf(caller: Caller, side: Side, publisher: string): AuthorRole {
  if (caller.kind === 'automation' || caller.person === null) return 'automation';
  return side === 'store' ? 'moderator' : (caller.memberships.get(publisher) ?? 'member');
}

/** Presents a conversation to one side: with names, without ids of persons. */
async function present(
  stores: ReadStores,
  caller: Caller,
  side: Side,
  { appId, version, state: status }: VersionRecord,
): Promise<Conversation> {
  const ref = { appId, version };
  const messages = await stores.messages.of(ref);
  const people = await stores.people.findAll(authorIds(messages));
  const names = new Map(people.map(({ id, name }) => [personName(id), name]));
  const review = await stores.reviews.reviewState(ref);
  const written = messages.filter((message) => message.side === side).length;
  return {
    ...ref,
    status,
    changesRequestedAt: review?.changesRequestedAt ?? null,
    messages: messages.map(({ author, ...message }) => ({
      ...message,
      name: names.get(author) ?? null,
      isYours: author === caller.name && message.side === side,
    })),
    left: review ? LIMITS.moderation.messages - written : 0,
  };
}

/**
 * The conversation about a version, for a moderator.
 * @throws ApiError not_found
 */
export async function readAsModerator(
  deps: ReadStores,
  caller: Caller,
  ref: VersionRef,
): Promise<Conversation> {
  return present(deps, caller, 'store', await requireVersion(deps.versions, ref));
}

/**
 * The conversation about a version, for the members of its publisher.
 * @throws ApiError not_found, not_a_member, forbidden
 */
export async function readAsPublisher(
  deps: ReadStores,
  caller: Caller,
  ref: VersionRef,
): Promise<Conversation> {
  const record = await requireVersion(deps.versions, ref);
  requirePublisher(caller, record, 'status', 'publish:new', 'publish:update');
  return present(deps, caller, 'publisher', record);
}

/** Sends a mail to the moderators who wrote in the conversation. */
async function notifyModerators(
  deps: PostDeps,
  stores: Stores,
  { appId, version, publisher }: VersionRecord,
  text: string,
): Promise<void> {
  const messages = await stores.messages.of({ appId, version });
  const people = await stores.people.findAll(authorIds(messages.filter(({ side }) => side === 'store')));
  const content = { kind: 'review-answer', detail: { appId, version, text } } as const;
  for (const person of people.filter(({ role }) => role !== 'person'))
    await mailUser(deps, stores, person, content, publisher);
}

async function notifyOtherSide(
  deps: PostDeps,
  stores: Stores,
  record: VersionRecord,
  { side, text, requestsChanges }: Writing,
): Promise<void> {
  const { appId, version, publisher } = record;
  if (side === 'publisher') return notifyModerators(deps, stores, record, text);
  const detail = { publisher, appId, version, text, requestsChanges };
  return notifyMembers(deps, stores, publisher, { kind: 'review-message', detail });
}

/**
 * @returns the number of the next message
 * @throws ApiError limit_reached
 */
async function requireBelowLimit({ messages }: Stores, ref: VersionRef, side: Side): Promise<number> {
  const all = await messages.of(ref);
  const max = LIMITS.moderation.messages;
  if (all.filter((message) => message.side === side).length < max) return all.length + 1;
  throw new ApiError(
    'limit_reached',
    `Each side can write at most ${max} messages about a version. The limit is reached: decide on the version now.`,
  );
}

/** Stores a message, in a transaction in which no decision on the version can commit. */
async function write(
  deps: ConversationDeps,
  stores: Stores,
  caller: Caller,
  record: VersionRecord,
  writing: Writing,
): Promise<Conversation> {
  const { side, text, requestsChanges, override } = writing;
  const { appId, version, publisher } = record;
  const ref = { appId, version };
  const at = deps.clock().toISOString();
  if (requestsChanges && !override) await requireNoLockOfOthers(stores, caller, ref, at);
  else await requireWaiting(stores, ref);
  const number = await requireBelowLimit(stores, ref, side);
  const role = roleOf(caller, side, publisher);
  await stores.messages.add(ref, { number, at, author: caller.name, side, role, requestsChanges, text });
  if (requestsChanges) await stores.reviews.setChangesRequested(ref, at);
  if (side === 'publisher') await stores.reviews.setChangesRequested(ref, null);
  const action = requestsChanges ? 'version.request-changes' : 'version.message';
  const detail = { number, side, ...(requestsChanges && override && { override }) };
  await stores.audit.add(caller, at, { action, ...ref, publisher, detail });
  await notifyOtherSide(deps, stores, record, writing);
  return present(stores, caller, side, record);
}

/**
 * Sends a message to the publisher of a version in review. A request for changes leaves the version in review.
 * @throws ApiError invalid_request, not_found, already_handled, locked, limit_reached
 */
export function writeAsModerator(
  deps: ConversationDeps,
  caller: Caller,
  ref: VersionRef,
  { text: note, reason, requestChanges = false, override = false }: ModeratorMessage,
): Promise<Conversation> {
  const text = rejectionNotes(deps.policy.cannedReasons, { note, reason });
  return deps.unitOfWork(async (stores) => {
    const record = await requireVersion(stores.versions, ref);
    return write(deps, stores, caller, record, {
      side: 'store',
      text,
      requestsChanges: requestChanges,
      override,
    });
  });
}

/**
 * Sends a message to the moderators of a version in review, which answers their request for changes.
 * @throws ApiError not_found, not_a_member, forbidden, already_handled, limit_reached
 */
export function writeAsPublisher(
  deps: ConversationDeps,
  caller: Caller,
  ref: VersionRef,
  { text }: PublisherMessage,
): Promise<Conversation> {
  return deps.unitOfWork(async (stores) => {
    const record = await requireVersion(stores.versions, ref);
    requirePublisher(caller, record, 'publish:new', 'publish:update');
    await requireUnsuspended(stores, 'writeMessage', record);
    const writing = { side: 'publisher', text, requestsChanges: false, override: false } as const;
    return write(deps, stores, caller, record, writing);
  });
}
