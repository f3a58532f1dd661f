import { createHmac } from 'node:crypto';
import { ApiError } from '../../platform/api-error.ts';
import { hashSecret, type Mac, newSecret, sameSecret } from '../../platform/secret.ts';
import type { Clock, RandomBytes } from '../../platform/system.ts';
import { endOf, isActive, TERMS } from '../../platform/terms.ts';
import type { CeremonyKind, CeremonyStore } from '../domain/identity/credential-store.ts';

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

/** A ceremony: its kind; the provider, and the signed-in user who adds a way to sign in, each null when there is none. */
export type Ceremony = { kind: CeremonyKind; provider: string | null; personId: string | null };

/** A MAC for the cookies of ceremonies only. */
type CeremonyDeps = { ceremonyMac: Mac; clock: Clock };

const macOf = ({ ceremonyMac }: CeremonyDeps, secret: string, facts: string): string =>
  ceremonyMac(`${secret}.${facts}`);

/**
 * Begins a ceremony, which takes two requests of one browser. The store keeps nothing of it: a limit on those that have begun would lock
 * out others, so its cookie holds what the second request needs, with a MAC.
 * @returns the text for its cookie, and the values derived from its secret
 */
export function beginCeremony(
  deps: CeremonyDeps & { random: RandomBytes },
  { kind, provider, personId }: Ceremony,
): { cookie: string; secrets: CeremonySecrets } {
  const secret = newSecret(deps.random);
  const until = endOf('ceremonies.expires_at', deps.clock());
  const facts = Buffer.from(JSON.stringify([kind, until, provider, personId])).toString('base64url');
  return { cookie: `${secret}.${facts}.${macOf(deps, secret, facts)}`, secrets: secretsOf(secret) };
}

/** The ceremony of a cookie, and when it ends; null when the store did not begin it. */
function readCookie(
  deps: CeremonyDeps,
  cookie: string,
): (Ceremony & { until: string; secret: string }) | null {
  const [secret = '', facts = '', mac = ''] = cookie.split('.');
  if (!sameSecret(mac, macOf(deps, secret, facts))) return null;
  const [kind, until, provider, personId] = JSON.parse(Buffer.from(facts, 'base64url').toString());
  return { kind, until, provider, personId, secret };
}

/**
 * Ends a ceremony that this browser began. It is used up, whatever the outcome.
 * @throws ApiError forbidden when this browser began none, or too long ago
 */
export async function endCeremony(
  deps: CeremonyDeps & { ceremonies: Pick<CeremonyStore, 'end'> },
  kind: CeremonyKind,
  cookie: string | undefined,
): Promise<{ ceremony: Ceremony; secrets: CeremonySecrets }> {
  const ceremony = readCookie(deps, cookie ?? '');
  if (
    ceremony?.kind !== kind ||
    !isActive('ceremonies.expires_at', ceremony.until, deps.clock().toISOString()) ||
    !(await deps.ceremonies.end(hashSecret(ceremony.secret), kind, ceremony.until))
  ) {
    throw new ApiError(
      'forbidden',
      'This sign-in was started in another browser, started more than five minutes ago, or is already completed: start again.',
    );
  }
  return { ceremony, secrets: secretsOf(ceremony.secret) };
}
