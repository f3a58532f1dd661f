import { timingSafeEqual } from 'node:crypto';
import type { RouteAuth, TokenScope } from '@svc/contracts';
import type { Actor, Origin } from '../audit/audit-log.ts';
import type { Clock } from '../platform/ambient.ts';
import { Refusal } from '../platform/refusal.ts';
import { hashToken } from './issue-token.ts';
import { isTokenShaped } from './token-format.ts';
import type { TokenStore } from './token-store.ts';

/**
 * Who is calling: automation that holds every role, a moderator, or a developer acting for a publisher. `name` goes on
 * record.
 */
export type Caller = Actor &
  (
    | { kind: 'automation' }
    | { kind: 'moderator' }
    | { kind: 'developer'; publisher: string; scopes: readonly TokenScope[] }
  );

/** What is needed to recognise a bearer token. */
export type CallerDeps = {
  tokens: TokenStore;
  clock: Clock;
  adminToken: string | null;
  /** The token of each moderator, by name. */
  moderatorTokens: ReadonlyMap<string, string>;
};

const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(hashToken(a), 'hex'), Buffer.from(hashToken(b), 'hex'));

const unauthorized = () =>
  new Refusal('unauthorized', 'Send a valid developer token: Authorization: Bearer <token>.');

/**
 * Recognises the bearer of a token (RFC 6750 section 2.1).
 * @param authorization value of the Authorization header, if any
 * @param from where the request came from
 * @throws Refusal unauthorized
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
  const moderator = [...deps.moderatorTokens].find(([, secret]) => sameSecret(token, secret))?.[0];
  if (moderator !== undefined) return { kind: 'moderator', name: `moderator:${moderator}`, from };
  if (!isTokenShaped(token)) throw unauthorized();
  const record = await deps.tokens.find(hashToken(token));
  if (!record || record.expiresAt <= deps.clock().toISOString()) throw unauthorized();
  return {
    kind: 'developer',
    name: `publisher:${record.publisher}`,
    from,
    tokenId: record.id,
    publisher: record.publisher,
    scopes: record.scopes,
  };
}

/** Whether a caller has the role of an administrator. */
export const isAdministrator = (caller: Caller): boolean => caller.kind === 'automation';

/**
 * Refuses a caller whose role does not reach a route.
 * @throws Refusal forbidden
 */
export function requireRole(caller: Caller, role: Exclude<RouteAuth, 'none'>): void {
  if (isAdministrator(caller) || role === 'developer') return;
  if (caller.kind === 'moderator' && role === 'moderator') return;
  throw new Refusal(
    'forbidden',
    `This needs the role of ${role === 'admin' ? 'an administrator' : 'a moderator'}.`,
  );
}

/**
 * Refuses a developer token that was not made for this.
 * @throws Refusal forbidden
 */
export function requireScope(caller: Caller, scope: TokenScope): void {
  if (isAdministrator(caller) || (caller.kind === 'developer' && caller.scopes.includes(scope))) return;
  throw new Refusal('forbidden', `The token lacks the scope ${scope}: make one that has it.`);
}

/**
 * Refuses a caller that does not act for a publisher.
 * @throws Refusal not_a_member
 */
export function requireMember(caller: Caller, publisher: string): void {
  if (isAdministrator(caller) || (caller.kind === 'developer' && caller.publisher === publisher)) return;
  throw new Refusal('not_a_member', `The token does not act for the publisher ${publisher}.`);
}
