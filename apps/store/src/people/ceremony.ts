import { createHmac } from 'node:crypto';
import type { CeremonyKind, CeremonyRecord } from '../domain/identity/ceremony-store.ts';
import { ApiError } from '../platform/api-error.ts';
import { hashSecret, newSecret } from '../platform/secret.ts';
import { endOf, holds, TERMS } from '../platform/terms.ts';
import type { PeopleDeps } from './people-stores.ts';
import { takeCeremony } from './tries.ts';

/** How long a browser has from the beginning of a ceremony to its end, in milliseconds. */
export const CEREMONY_MS = TERMS['ceremonies.expires_at'];

/** What both ends of a ceremony know and the database does not: it follows from the secret in the cookie. */
export type CeremonySecrets = { challenge: string; state: string; nonce: string; verifier: string };

/** Each 43 characters of base64url, which is what PKCE asks of a verifier at least (RFC 7636 section 4.1). */
function secretsOf(secret: string): CeremonySecrets {
  const derive = (use: string) => createHmac('sha256', secret).update(use).digest('base64url');
  return {
    challenge: derive('challenge'),
    state: derive('state'),
    nonce: derive('nonce'),
    verifier: derive('verifier'),
  };
}

/**
 * Begins what takes two requests of one browser.
 * @returns the secret for its cookie, and what follows from it
 * @throws ApiError rate_limited
 */
export async function beginCeremony(
  { unitOfWork, clock, random }: Pick<PeopleDeps, 'unitOfWork' | 'clock' | 'random'>,
  what: Pick<CeremonyRecord, 'kind' | 'provider' | 'personId'>,
  address: string | null,
): Promise<{ secret: string; secrets: CeremonySecrets }> {
  const secret = newSecret(random);
  const expiresAt = endOf('ceremonies.expires_at', clock());
  await unitOfWork(async ({ rateLimits, ceremonies }) => {
    await takeCeremony({ rateLimits, clock }, address);
    await ceremonies.keep({ hash: hashSecret(secret), expiresAt, ...what });
  });
  return { secret, secrets: secretsOf(secret) };
}

/**
 * Ends a ceremony that this browser began, whatever comes of it: it can be ended once.
 * @throws ApiError forbidden when it began none, or too long ago
 */
export async function endCeremony(
  { ceremonies, clock }: Pick<PeopleDeps, 'ceremonies' | 'clock'>,
  kind: CeremonyKind,
  secret: string | undefined,
): Promise<{ ceremony: CeremonyRecord; secrets: CeremonySecrets }> {
  const ceremony = secret === undefined ? null : await ceremonies.take(hashSecret(secret));
  const isOver = (end: string) => !holds('ceremonies.expires_at', end, clock().toISOString());
  if (secret === undefined || ceremony?.kind !== kind || isOver(ceremony.expiresAt)) {
    throw new ApiError(
      'forbidden',
      'This was begun in another browser, or more than five minutes ago, or ended already: begin again.',
    );
  }
  return { ceremony, secrets: secretsOf(secret) };
}
