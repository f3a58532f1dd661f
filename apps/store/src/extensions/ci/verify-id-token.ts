import { createRemoteJWKSet, customFetch, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import type { CiIssuer } from '../../core/domain/identity/ci-issuer.ts';
import type { Sites } from '../../core/publishers/site.ts';
import { ApiError, invalidField } from '../../platform/api-error.ts';
import type { Clock } from '../../platform/system.ts';
import { SKEW_MS } from '../../platform/terms.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import { claimText, readAboutIssuer } from './ci-issuer.ts';

export type IdTokenDeps = {
  sites: Pick<Sites, 'file'>;
  ciIssuers: readonly CiIssuer[];
  /** The address of the store, which is the audience. */
  baseUrl: string;
  clock: Clock;
};

/** An ID token whose signature, issuer, audience and time are right. */
export type VerifiedIdToken = CiIssuer & { claims: JWTPayload; tokenId: string; expiresAt: string };

/** Asymmetric algorithms (RFC 7518 section 3.1, RFC 8037): with a shared key or none, anyone could sign. */
const ALGORITHMS = ['RS', 'PS', 'ES'].flatMap((family) => ['256', '384', '512'].map((size) => family + size));
ALGORITHMS.push('EdDSA', 'Ed25519');

/** How long the address of the keys of an issuer is remembered; jose decides how long the keys are. */
const METADATA_MS = 60 * 60_000;

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https$/ }) });

const away = (issuer: string, cause: unknown) =>
  new UnavailableError(`The keys of the CI issuer ${issuer} cannot be read.`, {
    cause,
    reported: `The store cannot read the keys of the issuer ${issuer}`,
  });

const refused = (
  message: string,
  claims: { claim: string; expected: string; received: string | null }[] = [],
) => new ApiError('forbidden', message, claims.length > 0 ? { claims } : {});

/** The claims of a token whose signature is not verified yet. @throws ApiError invalid_request */
function unverified(idToken: string): JWTPayload {
  try {
    return decodeJwt(idToken);
  } catch {
    throw invalidField('idToken', 'must be a JWT: send the ID token of the job as it is');
  }
}

/** Whether the keys of an issuer could not be read: jose has no class of its own for an answer that is no set of keys. */
const isOutage = (error: unknown): boolean =>
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  (error instanceof errors.JOSEError && error.code === errors.JOSEError.code);

/** Turns an error of jose into a refusal, without content of the token. */
function faultOf(issuer: string, error: unknown): unknown {
  if (error instanceof errors.JWTExpired)
    return refused('The ID token has expired: let the job request another one.');
  if (error instanceof errors.JWTClaimValidationFailed)
    return refused(`The claim ${error.claim} of the ID token is missing or invalid.`);
  if (isOutage(error)) return away(issuer, error);
  if (error instanceof errors.JOSEError)
    return refused('The ID token is not signed with a current key of its issuer.');
  return error;
}

/**
 * Verifies ID tokens of CI jobs (OpenID Connect Core 1.0 section 3.1.3.7). Keys are read over guarded connections, cached, and read again
 * when a token names an unknown one.
 */
export function createIdTokenVerifier({ sites, ciIssuers, baseUrl, clock }: IdTokenDeps) {
  type KeySet = ReturnType<typeof createRemoteJWKSet>;
  const keySets = new Map<string, { until: number; keys: Promise<KeySet> }>();

  async function read(issuer: string, url: string): Promise<unknown> {
    const { host, pathname, search } = new URL(url);
    const answer = await readAboutIssuer({ sites }, issuer, host, pathname + search);
    if ('fault' in answer) throw away(issuer, new Error(answer.fault));
    return answer.json;
  }

  async function openKeys(issuer: string): Promise<KeySet> {
    const metadata = await read(issuer, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const parsed = Metadata.safeParse(metadata);
    if (!parsed.success || parsed.data.issuer !== issuer)
      throw away(issuer, new Error('Its metadata is not valid.'));
    return createRemoteJWKSet(new URL(parsed.data.jwks_uri), {
      [customFetch]: async (url) => Response.json(await read(issuer, url)),
    });
  }

  function keysOf(issuer: string): Promise<KeySet> {
    const known = keySets.get(issuer);
    const now = clock().getTime();
    if (known && known.until > now) return known.keys;
    const keys = openKeys(issuer);
    keySets.set(issuer, { until: now + METADATA_MS, keys });
    keys.catch(() => keySets.delete(issuer));
    return keys;
  }

  /** @throws ApiError invalid_request, forbidden; UnavailableError when the keys of the issuer cannot be read */
  return async (idToken: string): Promise<VerifiedIdToken> => {
    const { iss } = unverified(idToken);
    const known = ciIssuers.find(({ issuer }) => issuer === iss);
    if (!known) {
      const expected = ciIssuers.map(({ issuer }) => issuer).join(' or ');
      throw refused('This store does not accept ID tokens of this issuer.', [
        { claim: 'iss', expected, received: claimText(iss) },
      ]);
    }
    const options = {
      issuer: known.issuer,
      algorithms: ALGORITHMS,
      requiredClaims: ['aud', 'exp', 'iat', 'jti'],
      clockTolerance: SKEW_MS / 1000,
      maxTokenAge: '1 day',
      currentDate: clock(),
    };
    const keys = await keysOf(known.issuer);
    const { payload } = await jwtVerify(idToken, keys, options).catch((error: unknown) => {
      throw faultOf(known.issuer, error);
    });
    // One audience: a token that is also for others could be used here by them.
    if ([payload.aud].flat().join(' ') !== baseUrl)
      throw refused('The ID token is for another audience.', [
        { claim: 'aud', expected: baseUrl, received: claimText(payload.aud) },
      ]);
    const expiresAt = new Date((payload.exp ?? 0) * 1000 + SKEW_MS).toISOString();
    return { ...known, claims: payload, tokenId: String(payload.jti), expiresAt };
  };
}
