import {
  type AccessRules,
  LIMITS,
  type MemberRole,
  type PersonRole,
  type RouteAuth,
  type Token,
  type TokenScope,
  type VersionSource,
} from '@svc/contracts';
import { ApiError } from '../../../platform/api-error.ts';
import { bearerOf, hashSecret, sameSecret } from '../../../platform/secret.ts';
import type { Clock } from '../../../platform/system.ts';
import type { Actor, Origin } from '../audit/audit-log.ts';
import type { Memberships, Person, PersonStore } from './person-store.ts';
import type { FoundSession, SessionStore } from './session-store.ts';
import { isTokenShaped, presentToken } from './token-format.ts';
import type { FoundToken, TokenStore } from './token-store.ts';

/** A user who is signed in to the pages. */
export type PersonCaller = Actor & {
  kind: 'person';
  person: Person;
  sessionId: string;
  memberships: Memberships;
  /** When the user last proved their identity in this session. */
  provedAt: string | null;
  /** The role that the user has, but not in this session: it was not proved with a passkey. */
  withheldRole: PersonRole | null;
  /** From when the role needs a passkey, in milliseconds since 1970; null when it does not, or the session was proved with one. */
  passkeyDueAt: number | null;
};

/** A program with a developer token. It never has more rights in a publisher than a member. */
export type TokenCaller = Actor & {
  kind: 'token';
  tokenId: string;
  /** The owner of the token; null when it belongs to a publisher. */
  person: Person | null;
  memberships: Memberships;
  /** The token as its owner sees it. */
  token: Token;
  scopes: readonly TokenScope[];
  /** The only app that it may change; null when it is not bound to one. */
  appId: string | null;
  /** The CI job that it was exchanged for; null for other tokens. */
  source: VersionSource | null;
};

/** An authenticated caller: automation with every role, a user, or a program with a developer token. `name` is recorded. */
export type Caller = (Actor & { kind: 'automation' }) | PersonCaller | TokenCaller;

/** The dependencies of `recognise`. */
export type CallerDeps = {
  tokens: TokenStore;
  clock: Clock;
  adminToken: string | null;
  /** Records the use of a token, with a delay. */
  recordUse(tokenId: string): void;
};

const unauthorized = () =>
  new ApiError('unauthorized', 'Send a valid developer token: Authorization: Bearer <token>.');

const unconfirmed = () =>
  new ApiError(
    'unauthorized',
    'The sign-in provider no longer confirms the owner of this token: they sign in on the pages of the store, and the token works again.',
  );

/** The stores that know whether the access of a caller has ended. */
export type LiveStores = {
  sessions: Pick<SessionStore, 'has'>;
  tokens: Pick<TokenStore, 'isLive'>;
  people: Pick<PersonStore, 'find' | 'membershipsOf'>;
};

/**
 * Refuses a caller whose token was revoked, whose session ended, who was suspended, whose role changed or who lost a membership or the
 * ownership of a publisher since the request was admitted. Every transaction of a request begins with it
 * (`access/authorise.ts`), so that what was checked before the transaction holds in it.
 * @throws ApiError unauthorized, forbidden
 */
export async function requireLive(
  { sessions, tokens, people }: LiveStores,
  caller: Caller,
  now: Date,
): Promise<void> {
  if (caller.kind === 'automation') return;
  const person = caller.person && (await people.find(caller.person.id));
  const isLive =
    caller.kind === 'person'
      ? await sessions.has(caller.person.id, caller.sessionId)
      : await tokens.isLive(caller.tokenId, now.toISOString());
  const role = caller.kind === 'person' ? (caller.withheldRole ?? caller.person.role) : person?.role;
  if (!isLive || person?.suspended || (caller.kind === 'token' && person?.unconfirmed)) throw unauthorized();
  if (person?.role !== role) throw new ApiError('forbidden', 'Your role has just changed: try again.');
  if (!person || caller.memberships.size === 0) return;
  const current = await people.membershipsOf(person.id);
  const isLost = ([slug, held]: readonly [string, MemberRole]) =>
    !current.has(slug) || (held === 'owner' && current.get(slug) !== 'owner');
  if ([...caller.memberships].some(isLost))
    throw new ApiError('forbidden', 'Your role in a publisher has just changed: try again.');
}

const PERSON = 'person:';

/** The recorded name of a user. */
export const personName = (id: string): string => PERSON + id;

/** The id of the user with a recorded name; null for other names. */
export const personId = (name: string): string | null =>
  name.startsWith(PERSON) ? name.slice(PERSON.length) : null;

const PUBLISHER = 'publisher:';

/** The recorded name of a publisher's token. */
export const publisherTokenName = (slug: string): string => PUBLISHER + slug;

/** The slug of the publisher with a recorded name; null for other names. */
export const publisherOf = (name: string): string | null =>
  name.startsWith(PUBLISHER) ? name.slice(PUBLISHER.length) : null;

const asMember = (memberships: Memberships): Map<string, MemberRole> =>
  new Map(Array.from(memberships.keys(), (slug) => [slug, 'member']));

/** The memberships of a token: those of its owner, limited to the publisher that it is bound to. */
function membershipsOf({ token, memberships }: FoundToken): Map<string, MemberRole> {
  if (token.publisher === null) return asMember(memberships);
  const isOpen = token.personId === null || memberships.has(token.publisher);
  return new Map(isOpen ? [[token.publisher, 'member']] : []);
}

function callerOf(found: FoundToken, from: Origin): TokenCaller {
  const { token, person } = found;
  return {
    kind: 'token',
    name: person ? personName(person.id) : publisherTokenName(String(token.publisher)),
    from,
    tokenId: token.id,
    person,
    memberships: membershipsOf(found),
    token: presentToken(token),
    scopes: token.scopes,
    appId: token.appId,
    source: token.job?.source ?? null,
  };
}

/** From when the role of a user needs a passkey. A user who has one is asked for it at once: a stolen password gives no role. */
function passkeyDueAt(
  { session, person, graceFrom, hasPasskeys }: FoundSession,
  rule: AccessRules['roles'],
): number | null {
  if (rule === 'any' || person.role === 'person' || session.hasPasskey) return null;
  return Date.parse(graceFrom) + (rule === 'grace' && !hasPasskeys ? LIMITS.people.passkeyGraceMs : 0);
}

/**
 * The caller for a session.
 * @param rule how moderators and administrators must sign in to have their role
 */
export function signedInCaller(
  found: FoundSession,
  { from, now, rule }: { from: Origin; now: Date; rule: AccessRules['roles'] },
): PersonCaller {
  const { session, person, memberships } = found;
  const dueAt = passkeyDueAt(found, rule);
  const isWithheld = dueAt !== null && dueAt <= now.getTime();
  return {
    kind: 'person',
    name: personName(person.id),
    from,
    person: isWithheld ? { ...person, role: 'person' } : person,
    sessionId: session.id,
    memberships,
    provedAt: session.provedAt,
    withheldRole: isWithheld ? person.role : null,
    passkeyDueAt: dueAt,
  };
}

/**
 * Authenticates the bearer of a token (RFC 6750 section 2.1). It queries the database each time, so that a token that any process has
 * revoked is invalid immediately.
 * @param authorization value of the Authorization header, if any
 * @param from where the request came from
 * @throws ApiError unauthorized, publisher_suspended
 */
export async function recognise(
  deps: CallerDeps,
  authorization: string | undefined,
  from: Origin,
): Promise<Caller> {
  const token = bearerOf(authorization);
  if (token === null) throw unauthorized();
  if (deps.adminToken !== null && sameSecret(token, deps.adminToken))
    return { kind: 'automation', name: 'automation', from };
  if (!isTokenShaped(token)) throw unauthorized();
  const found = await deps.tokens.find(hashSecret(token));
  if (!found || found.person?.suspended || found.isMakerOut) throw unauthorized();
  if (found.person?.unconfirmed) throw unconfirmed();
  const { id, expiresAt, revokedAt } = found.token;
  if (revokedAt !== null || expiresAt <= deps.clock().toISOString()) throw unauthorized();
  const caller = callerOf(found, from);
  requireActivePublisher(found, caller.memberships);
  deps.recordUse(id);
  return caller;
}

/**
 * Refuses a token that acts only for suspended publishers: nothing is read or changed with it.
 * @throws ApiError publisher_suspended
 */
function requireActivePublisher({ suspendedPublishers }: FoundToken, memberships: Memberships): void {
  const [first] = [...memberships.keys()];
  if (first === undefined || [...memberships.keys()].some((slug) => !suspendedPublishers.has(slug))) return;
  throw new ApiError('publisher_suspended', `The publisher ${first} is suspended: this token has no effect.`);
}

/** The routes that the role of a user may call. An administrator has all rights of a moderator. */
const ROLE_ROUTES: Record<PersonRole, readonly RouteAuth[]> = {
  person: ['person', 'developer'],
  moderator: ['person', 'developer', 'moderator'],
  administrator: ['person', 'developer', 'moderator', 'admin'],
};

/** Whether a caller is an administrator. A token never is. */
export const isAdministrator = (caller: Caller): boolean =>
  caller.kind === 'automation' || (caller.kind === 'person' && caller.person.role === 'administrator');

/** Whether a caller may review versions. */
export const isModerator = (caller: Caller): boolean =>
  isAdministrator(caller) || (caller.kind === 'person' && caller.person.role === 'moderator');

const ROLE_MESSAGES: Record<Exclude<RouteAuth, 'none'>, string> = {
  person: 'Only a signed-in user can do this: sign in on the pages of the store.',
  developer: 'A developer token is required.',
  moderator: 'The moderator role is required.',
  admin: 'The administrator role is required.',
};

/**
 * Refuses a caller without the role of a route.
 * @throws ApiError forbidden, passkey_required
 */
export function requireRole(caller: Caller, role: Exclude<RouteAuth, 'none'>): void {
  const isAllowed = {
    automation: role !== 'person',
    token: role === 'developer',
    person: caller.kind === 'person' && ROLE_ROUTES[caller.person.role].includes(role),
  }[caller.kind];
  if (isAllowed) return;
  const withheld = caller.kind === 'person' ? caller.withheldRole : null;
  if (withheld !== null && ROLE_ROUTES[withheld].includes(role)) {
    throw new ApiError(
      'passkey_required',
      'Your role needs a passkey in this store: add one on your account page, or sign in with the one you have.',
    );
  }
  throw new ApiError('forbidden', ROLE_MESSAGES[role]);
}

/**
 * Refuses a developer token without a scope. Sessions need no scope.
 * @param oneOf scopes of which the token must have at least one
 * @throws ApiError forbidden
 */
export function requireScope(caller: Caller, ...oneOf: readonly TokenScope[]): void {
  if (caller.kind !== 'token' || oneOf.some((scope) => caller.scopes.includes(scope))) return;
  throw new ApiError('forbidden', `The token lacks the scope ${oneOf.join(' or ')}: create a token with it.`);
}

/**
 * Refuses a developer token that is bound to another app.
 * @throws ApiError forbidden
 */
export function requireApp(caller: Caller, appId: string): void {
  if (caller.kind !== 'token' || caller.appId === null || caller.appId === appId) return;
  throw new ApiError('forbidden', `The token is only valid for the app ${caller.appId}.`);
}

/**
 * Refuses a caller that does not act for a publisher. An administrator acts only for their own publishers; automation for all.
 * @throws ApiError not_a_member
 */
export function requireMember(caller: Caller, publisher: string): void {
  if (caller.kind === 'automation' || caller.memberships.has(publisher)) return;
  throw new ApiError('not_a_member', `You do not act for the publisher ${publisher}: ask one of its owners.`);
}

/**
 * Refuses a caller who is not an owner of a publisher. A token never is one.
 * @throws ApiError not_a_member, forbidden
 */
export function requireOwner(caller: Caller, publisher: string): void {
  requireMember(caller, publisher);
  if (caller.kind === 'person' && caller.memberships.get(publisher) === 'owner') return;
  throw new ApiError('forbidden', `Only owners of the publisher ${publisher} can do this: ask one of them.`);
}
