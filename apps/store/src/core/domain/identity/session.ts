import type { PersonRole } from '@svc/contracts';
import { hashSecret, newSecret } from '../../../platform/secret.ts';
import type { Clock, RandomBytes } from '../../../platform/system.ts';
import { isActive, TERMS } from '../../../platform/terms.ts';
import { ReadOnlyError } from '../../../platform/write-gate.ts';
import type { Origin } from '../audit/audit-log.ts';
import type { FoundSession, SessionStore } from './session-store.ts';

/** A session expires this long after its last use, in milliseconds, */
const IDLE_MS = TERMS['sessions.expires_at'];
/** and at most this long after the sign-in, however often it is used. */
const MAX_MS = 90 * 24 * 3_600_000;
const HOUR_MS = 3_600_000;

/** How long a session may last. */
export type SessionTerm = {
  /** Hours after the sign-in; `MAX_MS` when absent. */
  sessionHours?: number;
  /** The same for moderators and administrators, where it is less. */
  roleSessionHours?: number;
};

const FOREVER = Number.POSITIVE_INFINITY;

/** When a session ends at the latest. @param role of its user now: a role that is given later shortens it too */
function endOf({ sessionHours, roleSessionHours }: SessionTerm, createdAt: number, role: PersonRole): number {
  const ofRole = role === 'person' ? FOREVER : (roleSessionHours ?? FOREVER);
  return createdAt + Math.min(MAX_MS, Math.min(sessionHours ?? FOREVER, ofRole) * HOUR_MS);
}
/** How often its use is recorded, in milliseconds: not every request has to wait for the disk. */
const RECORD_EVERY_MS = 5 * 60_000;

/** Lifetime of the cookie, in seconds. The server decides whether the session is still valid. */
export const SESSION_SECONDS = MAX_MS / 1000;

const MAX_AGENT = 200;

export type SessionDeps = SessionTerm & {
  sessions: SessionStore;
  clock: Clock;
  random: RandomBytes;
  /** Creates a unique id. */
  newId(): string;
};

/** The user and the browser of a new session. */
export type NewSession = { personId: string; from: Origin; agent: string; hasPasskey?: boolean };

/**
 * Creates a session for an authenticated user.
 * @returns the secret for the cookie, which is not stored, and the id of the session
 */
export async function openSession(
  deps: SessionDeps,
  { personId, from, agent, hasPasskey = false }: NewSession,
): Promise<{ secret: string; id: string }> {
  const secret = newSecret(deps.random);
  const now = deps.clock();
  const id = deps.newId();
  // Of a user with a role it may end earlier: `findSession` decides.
  const until = Math.min(now.getTime() + IDLE_MS, endOf(deps, now.getTime(), 'person'));
  await deps.sessions.keep({
    hash: hashSecret(secret),
    id,
    personId,
    createdAt: now.toISOString(),
    expiresAt: new Date(until).toISOString(),
    lastSeenAt: now.toISOString(),
    address: from.address,
    agent: agent.slice(0, MAX_AGENT),
    // A session begins with a proof of identity.
    provedAt: now.toISOString(),
    hasPasskey,
  });
  return { secret, id };
}

/** Finds the session of a cookie. Null when it is not active or its user is suspended. */
export async function findSession(
  deps: Pick<SessionDeps, 'sessions' | 'clock' | keyof SessionTerm>,
  secret: string,
): Promise<FoundSession | null> {
  const found = await deps.sessions.find(hashSecret(secret));
  const now = deps.clock().getTime();
  if (
    !found ||
    found.person.suspended ||
    !isActive('sessions.expires_at', found.session.expiresAt, new Date(now).toISOString())
  )
    return null;
  const { id, createdAt, lastSeenAt } = found.session;
  const end = endOf(deps, Date.parse(createdAt), found.person.role);
  // A shorter setting counts for sessions from before it too.
  if (now >= end) return null;
  if (now - Date.parse(lastSeenAt) >= RECORD_EVERY_MS) {
    const until = Math.min(now + IDLE_MS, end);
    const seen = deps.sessions.seen(id, new Date(now).toISOString(), new Date(until).toISOString());
    // A read-only store does not record the use, and still knows the user.
    await seen.catch((error: unknown) => {
      if (!(error instanceof ReadOnlyError)) throw error;
    });
  }
  return found;
}
