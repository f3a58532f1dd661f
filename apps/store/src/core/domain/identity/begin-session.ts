import { ApiError } from '../../../platform/api-error.ts';
import { networkOf } from '../../../platform/network-of.ts';
import type { Clock, RandomBytes } from '../../../platform/system.ts';
import type { AuditLog, Origin } from '../audit/audit-log.ts';
import { personName } from './caller.ts';
import type { Person } from './person-store.ts';
import { openSession, type SessionTerm } from './session.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';

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

/** Where the mail about a sign-in is queued: written out, as the folder of mails imports this one. */
type Alerts = {
  add(mail: {
    kind: 'new-sign-in';
    detail: { personId: string; at: string; address: string | null; agent: string };
    id: string;
    recipient: string;
    createdAt: string;
    nextTryAt: string;
    tries: number;
  }): Promise<void>;
};

/** How old an account is before its user gets mails about sign-ins, in milliseconds. */
const SETTLED_MS = 60 * 60_000;

/** Whether a sign-in comes from a browser and a network in which the user has no session. A user without any other session gets no mail. */
function isAlarming(
  { emailVerified, createdAt }: Person,
  open: readonly SessionRecord[],
  { from, agent }: Pick<Visit, 'from' | 'agent'>,
  at: string,
): boolean {
  if (!emailVerified || open.length === 0 || Date.parse(at) - Date.parse(createdAt) < SETTLED_MS)
    return false;
  return !open.some((one) => one.agent === agent || networkOf(one.address) === networkOf(from.address));
}

/**
 * Signs in an authenticated user. Run it in the transaction of the authentication. The session is always new: an attacker may know the
 * previous cookie of the browser.
 * @returns the secret for the cookie
 * @throws ApiError forbidden for a suspended user
 */
export async function beginSession(
  deps: SessionTerm & { clock: Clock; random: RandomBytes; newId(): string },
  { sessions, audit, mails }: { sessions: SessionStore; audit: AuditLog; mails: Alerts },
  person: Person,
  { from, agent, before }: Visit,
  way: SignInWay,
): Promise<string> {
  requireActive(person);
  if (person.unconfirmed === 'refused')
    throw new ApiError(
      'forbidden',
      'Your provider no longer confirms this account: sign in with that provider, or ask an administrator.',
    );
  const at = deps.clock().toISOString();
  if (isAlarming(person, await sessions.of(person.id, at), { from, agent }, at) && person.email !== null) {
    const content = { personId: person.id, at, address: from.address, agent };
    const mail = { id: deps.newId(), recipient: person.email, createdAt: at, nextTryAt: at, tries: 0 };
    await mails.add({ ...mail, kind: 'new-sign-in', detail: content });
  }
  if (before) await sessions.end(before.personId, before.sessionId);
  const opened = { personId: person.id, from, agent, hasPasskey: way === 'passkey' };
  const { secret, id } = await openSession({ ...deps, sessions }, opened);
  const actor = { name: personName(person.id), from };
  const detail = { session: id, way };
  await audit.add(actor, at, { action: 'session.begin', detail });
  return secret;
}
