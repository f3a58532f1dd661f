import { ApiError } from '../../platform/api-error.ts';
import type { Clock, RandomBytes } from '../../platform/system.ts';
import type { AuditLog, Origin } from '../audit/audit-log.ts';
import { personName } from './caller.ts';
import type { Person } from './person-store.ts';
import { openSession } from './session.ts';
import type { SessionStore } from './session-store.ts';

/** The browser that a person signs in with. */
export type Visit = {
  from: Origin;
  /** What the browser calls itself. */
  agent: string;
  /** The session that was in it before, which ends. */
  before: { personId: string; sessionId: string } | null;
};

/** How a person showed who they are. */
export type SignInWay = 'password' | 'passkey' | 'provider' | 'reset link' | 'setup link';

/**
 * Refuses a person who is suspended. They are told only once they have shown who they are.
 * @throws ApiError forbidden
 */
export function requireActive({ suspended }: Person): void {
  if (suspended)
    throw new ApiError('forbidden', 'This account is suspended: ask the operator of the store about it.');
}

/**
 * Signs a person in who has shown who they are. Run it in the transaction that decided so. The session is always a new one:
 * what was in the browser before may be known to others.
 * @returns the secret for the cookie
 * @throws ApiError forbidden for who is suspended
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
  const { secret, id } = await openSession({ ...deps, sessions }, { personId: person.id, from, agent });
  const actor = { name: personName(person.id), from };
  const detail = { session: id, way };
  await audit.add(actor, deps.clock().toISOString(), { action: 'session.begin', detail });
  return secret;
}
