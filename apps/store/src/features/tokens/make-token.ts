import { LIMITS, type TokenKind } from '@svc/contracts';
import type { Actor } from '../../domain/audit/audit-log.ts';
import { personId } from '../../domain/identity/caller.ts';
import { newToken } from '../../domain/identity/token-format.ts';
import type { TokenOwner, TokenRecord, TokenStore } from '../../domain/identity/token-store.ts';
import { recordAccountChange } from '../../domain/mail/post-mail.ts';
import type { ChangeParts, Parts, Stores } from '../../domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';
import { hashSecret } from '../../platform/secret.ts';

const DAY_MS = 24 * 3_600_000;

export type MakeDeps = ChangeParts & Pick<Parts, 'random'>;

/** The properties of a new token, and its lifetime in days. */
export type TokenRequest = Pick<
  TokenRecord,
  'name' | 'personId' | 'publisher' | 'appId' | 'scopes' | 'job'
> & {
  kind: TokenKind;
  days: number;
  /** The user whose recovery or suspension ends it; the actor by default. */
  madeBy?: string | null;
};

/** The owner of a token. */
export const ownerOf = ({ personId, publisher }: Pick<TokenRecord, 'personId' | 'publisher'>): TokenOwner =>
  personId === null ? { publisher: publisher ?? '' } : { personId };

/**
 * Refuses an owner who has the maximum of valid tokens.
 * @param more the number of tokens to add
 * @throws ApiError limit_reached
 */
export async function requireBelowLimit(
  tokens: TokenStore,
  owner: TokenOwner,
  now: string,
  more: number,
): Promise<void> {
  const max = LIMITS.tokens.live;
  if ((await tokens.countLive(owner, now)) + more <= max) return;
  throw new ApiError(
    'limit_reached',
    `There are already ${max} valid tokens, which is the maximum: revoke one first.`,
  );
}

/**
 * Creates a token with an audit entry, in the transaction of the given stores. The token itself is only in the result; the store keeps
 * its hash.
 */
export async function makeToken(
  deps: MakeDeps,
  stores: Stores,
  actor: Actor,
  { days, ...request }: TokenRequest,
): Promise<{ token: string; record: TokenRecord }> {
  const token = newToken(request.kind, deps.random);
  const now = deps.clock();
  const createdAt = now.toISOString();
  const record: TokenRecord = {
    ...request,
    scopes: [...new Set(request.scopes)],
    id: deps.newId(),
    hash: hashSecret(token),
    createdAt,
    expiresAt: new Date(Math.round(now.getTime() + days * DAY_MS)).toISOString(),
    lastUsedAt: null,
    revokedAt: null,
    madeBy: request.madeBy ?? personId(actor.name),
  };
  await stores.tokens.keep(record);
  const { kind, publisher, appId, scopes, expiresAt, job } = record;
  const commit = job?.source.commit ?? null;
  const detail = { kind, name: request.name, scopes, expiresAt, ...(commit !== null && { commit }) };
  await recordAccountChange(deps, stores, actor, createdAt, {
    action: 'token.issue',
    // Jobs of a trusted workflow get theirs many times a day.
    personId: (!job && personId(actor.name)) || '',
    what: request.name,
    tokenId: record.id,
    ...(publisher !== null && { publisher }),
    ...(appId !== null && { appId }),
    detail,
  });
  return { token, record };
}
