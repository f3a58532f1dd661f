import { ApiError } from '../../platform/api-error.ts';
import type { Clock, RandomBytes } from '../../platform/system.ts';
import type { AuditLog, Origin } from '../audit/audit-log.ts';
import { personName } from './caller.ts';
import type { Person } from './person-store.ts';
import { openSession } from './session.ts';
import type { SessionStore } from './session-store.ts';

/** The browser in which a user signs in. */
export type Visit = {
  from: Origin;
  /** The user agent. */
  agent: string;
  /** The previous session of the browser, which ends. */
  before: { personId: string; sessionId: string } | null;
};

/** How a user authenticated. */
export type SignInWay = 'password' | 'passkey' | 'provider' | 'reset link' | 'new address' | 'setup link';

/**
 * Refuses a suspended user. Call it only after authentication, so that only the user learns of the suspension.
 * @throws ApiError forbidden
 */
export function requireActive({ suspended }: Person): void {
  if (suspended)
    throw new ApiError('forbidden', 'This account is suspended: contact the operator of the store.');
}

/**
 * Signs in an authenticated user. Run it in the transaction of the authentication. The session is always new: an attacker may know the
 * previous cookie of the browser.
 * @returns the secret for the cookie
 * @throws ApiError forbidden for a suspended user
 */
export async function beginSession(
  deps: { clock: Clock; random: RandomBytes; newId(): string },
  { sessions, audit }: { sessions: SessionStore; audit: AuditLog },
  person: Person,
  { from, agent, before }: Visit,
  way: SignInWay,
): Promise<string> {
  requireActive(person);
  if (before) await sessions.end(before.personId, before.sessionId);
  const opened = { personId: person.id, from, agent, hasPasskey: way === 'passkey' };
  const { secret, id } = await openSession({ ...deps, sessions }, opened);
  const actor = { name: personName(person.id), from };
  const detail = { session: id, way };
  await audit.add(actor, deps.clock().toISOString(), { action: 'session.begin', detail });
  return secret;
}
