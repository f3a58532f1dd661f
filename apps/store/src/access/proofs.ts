import { LIMITS, type Route } from '@svc/contracts';
import type { Caller } from '../domain/identity/caller.ts';
import { ApiError } from '../platform/api-error.ts';
import type { Clock } from '../platform/system.ts';
import { SKEW_MS } from '../platform/terms.ts';

export type ProofRules = {
  clock: Clock;
  /** Whether the store sends mail, so that users can confirm their email addresses. */
  sendsMail: boolean;
};

/** Until when a proof of identity is accepted, in milliseconds since 1970. */
const proofEnd = (provedAt: string): number => Date.parse(provedAt) + LIMITS.people.proofMs;

/** Whether a proof is at most ten minutes old. One from the future was recorded by a clock that was ahead. */
function isFresh(provedAt: string | null, now: number): boolean {
  return provedAt !== null && proofEnd(provedAt) >= now && Date.parse(provedAt) <= now + SKEW_MS;
}

/**
 * Refuses a user who has not proved what a route needs, according to its columns `freshProof` and `provenAddress` of the route table.
 * A user without an email address signs in with a provider, which has proved who they are.
 * @throws ApiError reauthentication_required, email_unverified
 */
export function requireProofs({ clock, sendsMail }: ProofRules, route: Route, caller: Caller): void {
  if (caller.kind !== 'person') return;
  const { email, emailVerified } = caller.person;
  if (route.provenAddress && sendsMail && email !== null && !emailVerified) {
    throw new ApiError(
      'email_unverified',
      'Confirm your email address first: open the link in the confirmation mail. Your account page sends another one.',
    );
  }
  if (!route.freshProof || isFresh(caller.provedAt, clock().getTime())) return;
  throw new ApiError(
    'reauthentication_required',
    'Confirm that it is you: enter your password or use a passkey, and try again. This is needed every ten minutes for changes to access.',
  );
}
