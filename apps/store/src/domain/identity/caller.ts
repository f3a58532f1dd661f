import type { MemberRole, PersonRole, RouteAuth, Token, TokenScope } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { hashSecret, sameSecret } from '../../platform/secret.ts';
import type { Clock } from '../../platform/system.ts';
import type { Actor, Origin } from '../audit/audit-log.ts';
import type { Memberships, Person } from './person-store.ts';
import { presentToken } from './present-token.ts';
import type { FoundSession } from './session-store.ts';
import { isTokenShaped } from './token-format.ts';
import type { FoundToken, TokenStore } from './token-store.ts';

/** A person who is signed in to the pages. */
export type PersonCaller = Actor & {
  kind: 'person';
  person: Person;
  sessionId: string;
  memberships: Memberships;
};

/** A program with a developer token. It never has more rights in a publisher than a member. */
export type TokenCaller = Actor & {
  kind: 'token';
  tokenId: string;
  /** Whose token it is; null when it is the publisher's own. */
  person: Person | null;
  memberships: Memberships;
  /** The token as its owner sees it. */
  token: Token;
  scopes: readonly TokenScope[];
  /** The only app it may touch; null when it is bound to none. */
  appId: string | null;
};

/** Who is calling: automation that holds every role, a person, or a program with a developer token. `name` goes on record. */
export type Caller = (Actor & { kind: 'automation' }) | PersonCaller | TokenCaller;

/** What is needed to recognise a bearer token. */
export type CallerDeps = {
  tokens: TokenStore;
  clock: Clock;
  adminToken: string | null;
  /** Notes that a token was used, some time later. */
  recordUse(tokenId: string): void;
};

const unauthorized = () =>
  new ApiError('unauthorized', 'Send a valid developer token: Authorization: Bearer <token>.');

const PERSON = 'person:';

/** The name of a person on record. */
export const personName = (id: string): string => PERSON + id;

/** Id of the person of a name on record; null when it is no person's. */
export const personId = (name: string): string | null =>
  name.startsWith(PERSON) ? name.slice(PERSON.length) : null;

const PUBLISHER = 'publisher:';

/** The name on record of what a token of a publisher does. */
export const publisherTokenName = (slug: string): string => PUBLISHER + slug;

/** Slug of the publisher of a name on record; null when it is no publisher's. */
export const publisherOf = (name: string): string | null =>
  name.startsWith(PUBLISHER) ? name.slice(PUBLISHER.length) : null;

const asMember = (memberships: Memberships): Map<string, MemberRole> =>
  new Map(Array.from(memberships.keys(), (slug) => [slug, 'member']));

/** What a token's owner may, within what the token is bound to. */
function reachOf({ token, memberships }: FoundToken): Map<string, MemberRole> {
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
    memberships: reachOf(found),
    token: presentToken(token),
    scopes: token.scopes,
    appId: token.appId,
  };
}

/** A person who is signed in, as a caller. */
export const signedInCaller = (
  { session, person, memberships }: FoundSession,
  from: Origin,
): PersonCaller => ({
  kind: 'person',
  name: personName(person.id),
  from,
  person,
  sessionId: session.id,
  memberships,
});

/**
 * Recognises the bearer of a token (RFC 6750 section 2.1). Asks the database each time, so that a token that was revoked
 * in any process is worth nothing from then on.
 * @param authorization value of the Authorization header, if any
 * @param from where the request came from
 * @throws ApiError unauthorized
 */
export async function recognise(
  deps: CallerDeps,
  authorization: string | undefined,
  from: Origin,
): Promise<Caller> {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw unauthorized();
  if (deps.adminToken !== null && sameSecret(token, deps.adminToken))
    return { kind: 'automation', name: 'automation', from };
  if (!isTokenShaped(token)) throw unauthorized();
  const found = await deps.tokens.find(hashSecret(token));
  if (!found || found.person?.suspended) throw unauthorized();
  const { id, expiresAt, revokedAt } = found.token;
  if (revokedAt !== null || expiresAt <= deps.clock().toISOString()) throw unauthorized();
  deps.recordUse(id);
  return callerOf(found, from);
}

/** What a person's role lets them do besides: an administrator may all that a moderator may. */
const ROLE_REACH: Record<PersonRole, readonly RouteAuth[]> = {
  person: ['person', 'developer'],
  moderator: ['person', 'developer', 'moderator'],
  administrator: ['person', 'developer', 'moderator', 'admin'],
};

/** Whether a caller has the role of an administrator. A token never has. */
export const isAdministrator = (caller: Caller): boolean =>
  caller.kind === 'automation' || (caller.kind === 'person' && caller.person.role === 'administrator');

/** Whether a caller decides about versions of others. */
export const isModerator = (caller: Caller): boolean =>
  isAdministrator(caller) || (caller.kind === 'person' && caller.person.role === 'moderator');

const WANTED: Record<Exclude<RouteAuth, 'none'>, string> = {
  person: 'This is for people: sign in to the pages of the store.',
  developer: 'This needs a developer token.',
  moderator: 'This needs the role of a moderator.',
  admin: 'This needs the role of an administrator.',
};

/**
 * Refuses a caller whose role does not reach a route.
 * @throws ApiError forbidden
 */
export function requireRole(caller: Caller, role: Exclude<RouteAuth, 'none'>): void {
  const reaches = {
    automation: role !== 'person',
    token: role === 'developer',
    person: caller.kind === 'person' && ROLE_REACH[caller.person.role].includes(role),
  }[caller.kind];
  if (!reaches) throw new ApiError('forbidden', WANTED[role]);
}

/**
 * Refuses a developer token that was not made for this. People themselves need no scope.
 * @param oneOf scopes of which the token must have one
 * @throws ApiError forbidden
 */
export function requireScope(caller: Caller, ...oneOf: readonly TokenScope[]): void {
  if (caller.kind !== 'token' || oneOf.some((scope) => caller.scopes.includes(scope))) return;
  throw new ApiError('forbidden', `The token lacks the scope ${oneOf.join(' or ')}: make one that has it.`);
}

/**
 * Refuses a developer token that is bound to another app.
 * @throws ApiError forbidden
 */
export function requireApp(caller: Caller, appId: string): void {
  if (caller.kind !== 'token' || caller.appId === null || caller.appId === appId) return;
  throw new ApiError('forbidden', `The token is for the app ${caller.appId} alone.`);
}

/**
 * Refuses a caller that does not act for a publisher. An administrator acts for none but their own; automation for all.
 * @throws ApiError not_a_member
 */
export function requireMember(caller: Caller, publisher: string): void {
  if (caller.kind === 'automation' || caller.memberships.has(publisher)) return;
  throw new ApiError('not_a_member', `You do not act for the publisher ${publisher}: ask one of its owners.`);
}

/**
 * Refuses a caller who is no owner of a publisher. A token never is one.
 * @throws ApiError not_a_member, forbidden
 */
export function requireOwner(caller: Caller, publisher: string): void {
  requireMember(caller, publisher);
  if (caller.kind === 'person' && caller.memberships.get(publisher) === 'owner') return;
  throw new ApiError('forbidden', `Only owners of the publisher ${publisher} do this: ask one of them.`);
}
