import { createHmac } from 'node:crypto';
import type { CeremonyKind, CeremonyRecord } from '../../domain/identity/ceremony-store.ts';
import { ApiError } from '../../platform/api-error.ts';
import { hashSecret, newSecret } from '../../platform/secret.ts';
import { endOf, isActive, TERMS } from '../../platform/terms.ts';
import type { PeopleDeps } from './people-stores.ts';
import { countCeremony } from './tries.ts';

/** How long a browser has to complete a ceremony, in milliseconds. */
export const CEREMONY_MS = TERMS['ceremonies.expires_at'];

/** Values derived from the secret in the cookie, which both requests of a ceremony have and the database has not. */
export type CeremonySecrets = { challenge: string; state: string; nonce: string; verifier: string };

/** Each has 43 characters of base64url, the minimum of a PKCE verifier (RFC 7636 section 4.1). */
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
 * Begins a ceremony, which takes two requests of one browser.
 * @returns the secret for its cookie, and the values derived from it
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
    await countCeremony({ rateLimits, clock }, address);
    await ceremonies.keep({ hash: hashSecret(secret), expiresAt, ...what });
  });
  return { secret, secrets: secretsOf(secret) };
}

/**
 * Ends a ceremony that this browser began. It is used up, whatever the outcome.
 * @throws ApiError forbidden when this browser began none, or too long ago
 */
export async function endCeremony(
  { ceremonies, clock }: Pick<PeopleDeps, 'ceremonies' | 'clock'>,
  kind: CeremonyKind,
  secret: string | undefined,
): Promise<{ ceremony: CeremonyRecord; secrets: CeremonySecrets }> {
  const ceremony = secret === undefined ? null : await ceremonies.take(hashSecret(secret));
  const isOver = (end: string) => !isActive('ceremonies.expires_at', end, clock().toISOString());
  if (secret === undefined || ceremony?.kind !== kind || isOver(ceremony.expiresAt)) {
    throw new ApiError(
      'forbidden',
      'This sign-in was started in another browser, started more than five minutes ago, or is already completed: start again.',
    );
  }
  return { ceremony, secrets: secretsOf(secret) };
}
