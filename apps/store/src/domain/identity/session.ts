import { hashSecret, newSecret } from '../../platform/secret.ts';
import type { Clock, RandomBytes } from '../../platform/system.ts';
import { holds, TERMS } from '../../platform/terms.ts';
import type { Origin } from '../audit/audit-log.ts';
import type { FoundSession, SessionStore } from './session-store.ts';

/** A session ends this long after it was last used, in milliseconds, */
const IDLE_MS = TERMS['sessions.expires_at'];
/** and this long after it was begun, however much it is used. */
const MAX_MS = 90 * 24 * 3_600_000;
/** Its use is noted this often, in milliseconds: not every request has to wait for the disk. */
const NOTE_EVERY_MS = 5 * 60_000;

/** How long a browser keeps the cookie at most, in seconds; whether it still holds is decided here. */
export const SESSION_SECONDS = MAX_MS / 1000;

const MAX_AGENT = 200;

export type SessionDeps = {
  sessions: SessionStore;
  clock: Clock;
  random: RandomBytes;
  /** A fresh unique name. */
  newId(): string;
};

/** What a new session is begun with. */
export type NewSession = { personId: string; from: Origin; agent: string };

/**
 * Signs a person in who has proved who they are.
 * @returns the secret for the cookie, which is seen nowhere else, and the name of the session
 */
export async function openSession(
  { sessions, clock, random, newId }: SessionDeps,
  { personId, from, agent }: NewSession,
): Promise<{ secret: string; id: string }> {
  const secret = newSecret(random);
  const now = clock();
  const id = newId();
  await sessions.keep({
    hash: hashSecret(secret),
    id,
    personId,
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + IDLE_MS).toISOString(),
    lastSeenAt: now.toISOString(),
    address: from.address,
    agent: agent.slice(0, MAX_AGENT),
  });
  return { secret, id };
}

/** The session that a cookie names, when it holds and its person is not suspended. */
export async function findSession(
  { sessions, clock }: Pick<SessionDeps, 'sessions' | 'clock'>,
  secret: string,
): Promise<FoundSession | null> {
  const found = await sessions.find(hashSecret(secret));
  const now = clock().getTime();
  if (
    !found ||
    found.person.suspended ||
    !holds('sessions.expires_at', found.session.expiresAt, new Date(now).toISOString())
  )
    return null;
  const { id, createdAt, lastSeenAt } = found.session;
  if (now - Date.parse(lastSeenAt) >= NOTE_EVERY_MS) {
    const until = Math.min(now + IDLE_MS, Date.parse(createdAt) + MAX_MS);
    await sessions.seen(id, new Date(now).toISOString(), new Date(until).toISOString());
  }
  return found;
}
