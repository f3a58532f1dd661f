import {
  CI_EVENTS,
  type CiClaims,
  type ClaimMismatch,
  type FreshToken,
  type IdTokenExchange,
  LIMITS,
  sourceName,
  type VersionSource,
} from '@svc/contracts';
import type { Actor, Origin } from '../../core/domain/audit/audit-log.ts';
import { publisherTokenName } from '../../core/domain/identity/caller.ts';
import { requireUnsuspended } from '../../core/domain/identity/suspension.ts';
import { presentToken } from '../../core/domain/identity/token-format.ts';
import type { PostDeps } from '../../core/domain/mail/post-mail.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { makeToken } from '../../core/tokens/own-tokens.ts';
import { ApiError } from '../../platform/api-error.ts';
import { consume, type Rate } from '../../platform/rate.ts';
import { hashSecret } from '../../platform/secret.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { claimText } from './ci-issuer.ts';
import type { TrustedPublisherRecord } from './trusted-publisher-store.ts';
import { HOSTED_RUNNERS, type Stores } from './trusted-publishers.ts';
import type { IdTokenDeps, VerifiedIdToken } from './verify-id-token.ts';

export type ExchangeDeps = PostDeps &
  Pick<Parts, 'random'> &
  IdTokenDeps & { unitOfWork: UnitOfWork<Stores>; policy: { hostedRunners: boolean } };

const { tokens, tokenMs } = LIMITS.trustedPublishing;
const EXCHANGES: Rate = { what: 'publish tokens of one workflow', name: 'publish tokens', ...tokens };
const DAY_MS = 24 * 3_600_000;

/** Claims whose value is a file at a ref: the ref changes with each run. */
const AT_A_REF = new Set(['workflow_ref', 'ci_config_ref_uri']);

/** The claim that says what started a job. */
const EVENT_CLAIMS = { github: 'event_name', gitlab: 'pipeline_source', other: null } as const;

const receivedOf = ({ claims }: VerifiedIdToken, claim: string): string | null => {
  const text = claimText(claims[claim]);
  return AT_A_REF.has(claim) ? (text?.split('@refs/')[0] ?? null) : text;
};

/**
 * Claims that the provider compares without regard to upper and lower case, and those that begin with such a name: up to the file of the
 * workflow. The ids of repository and owner are compared too.
 */
const CASELESS = {
  github: { repository: /.*/, environment: /.*/, workflow_ref: /^.*?(?=\/\.github\/workflows\/)/ },
  gitlab: { project_path: /.*/, ci_config_ref_uri: /^.*?(?=\/\/)/ },
  other: {},
} as const satisfies Record<VerifiedIdToken['kind'], Readonly<Record<string, RegExp>>>;

/** A claim in the form in which it is compared. */
function comparable(kind: VerifiedIdToken['kind'], claim: string, value: string | null): string | null {
  const caseless = (CASELESS[kind] as Readonly<Record<string, RegExp>>)[claim];
  return caseless && value !== null ? value.replace(caseless, (name) => name.toLowerCase()) : value;
}

/** The claims that differ from what a workflow must say. */
function mismatches(token: VerifiedIdToken, workflow: CiClaims, hostedRunners: boolean): ClaimMismatch[] {
  const { kind } = token;
  const runner = hostedRunners && kind !== 'other' ? { runner_environment: HOSTED_RUNNERS[kind] } : {};
  const differing = Object.entries({ ...workflow, ...runner }).flatMap(([claim, expected]) => {
    const received = receivedOf(token, claim);
    const isSame = comparable(kind, claim, received) === comparable(kind, claim, expected);
    return isSame ? [] : [{ claim, expected, received }];
  });
  const claim = EVENT_CLAIMS[token.kind];
  if (claim === null || token.kind === 'other') return differing;
  const received = receivedOf(token, claim);
  const events = CI_EVENTS[token.kind];
  if (received !== null && events.includes(received)) return differing;
  return [...differing, { claim, expected: `one of ${events.join(', ')}`, received }];
}

const sourceOf = (
  token: VerifiedIdToken,
  { issuer, kind, claims }: TrustedPublisherRecord,
): VersionSource => ({
  ...{ issuer, kind, claims },
  ref: receivedOf(token, 'ref'),
  commit: receivedOf(token, 'sha'),
});

/** The workflow that a token is of. @throws ApiError forbidden, with the claims of the one that differs least */
function requireTrusted(
  token: VerifiedIdToken,
  records: readonly TrustedPublisherRecord[],
  { publisher, appId }: IdTokenExchange,
  { hostedRunners }: ExchangeDeps['policy'],
): TrustedPublisherRecord {
  const compared = records
    .filter((record) => record.appId === appId && record.issuer === token.issuer)
    .map((record) => ({ record, claims: mismatches(token, record.claims, hostedRunners) }))
    .sort((a, b) => a.claims.length - b.claims.length);
  const [nearest] = compared;
  if (!nearest)
    throw new ApiError(
      'forbidden',
      `The publisher ${publisher} trusts no workflow of ${token.issuer} with the app ${appId}: an owner adds it on the page of the publisher, under Tokens.`,
    );
  if (nearest.claims.length === 0) return nearest.record;
  const named = nearest.claims.map(
    ({ claim, expected, received }) => `${claim} must be ${expected}, and is ${received ?? 'missing'}`,
  );
  throw new ApiError('forbidden', `The job is not the trusted one: ${named.join('; ')}.`, {
    claims: nearest.claims,
  });
}

/** Creates the exchange of ID tokens of CI jobs for publish tokens (RFC 8693 in spirit; PyPI and npm call it trusted publishing). */
export function createExchange(deps: ExchangeDeps) {
  // Loaded on demand, as many stores publish from no CI: the library of JWTs is large.
  const open = async () => (await import('./verify-id-token.ts')).createIdTokenVerifier(deps);
  let verifier: ReturnType<typeof open> | undefined;
  /**
   * Exchanges the ID token of a job for a token that publishes one app for 15 minutes.
   * @throws ApiError invalid_request, forbidden, publisher_suspended, app_suspended, rate_limited; UnavailableError
   */
  return async (exchange: IdTokenExchange, from: Origin): Promise<FreshToken> => {
    const { publisher, appId } = exchange;
    verifier ??= open();
    const verify = await verifier;
    const token = await verify(exchange.idToken);
    return deps.unitOfWork(async (stores) => {
      const trusted = requireTrusted(
        token,
        await stores.trustedPublishers.of(publisher),
        exchange,
        deps.policy,
      );
      await requireUnsuspended(stores, 'publish', { publisher, appId });
      const use = hashSecret(JSON.stringify([token.issuer, token.tokenId]));
      if (!(await stores.ceremonies.end(use, 'ci', token.expiresAt)))
        throw new ApiError(
          'forbidden',
          'This ID token was exchanged already: let the job request another one.',
        );
      await consume({ ...deps, ...stores }, EXCHANGES, `ci ${trusted.id}`);
      const actor: Actor = { name: publisherTokenName(publisher), from };
      const made = await makeToken(deps, stores, actor, {
        ...{ kind: 'ci', name: sourceName(trusted), personId: null, publisher, appId },
        scopes: ['publish:new', 'publish:update', 'status', 'read'],
        days: tokenMs / DAY_MS,
        madeBy: trusted.madeBy,
        job: { trustedId: trusted.id, source: sourceOf(token, trusted) },
      });
      await stores.trustedPublishers.used(trusted.id, made.record.createdAt);
      return { ...presentToken(made.record), token: made.token };
    });
  };
}
