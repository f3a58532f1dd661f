import { LIMITS, type TokenKind } from '@svc/contracts';
import type { Actor, AuditLog } from '../domain/audit/audit-log.ts';
import { newToken } from '../domain/identity/token-format.ts';
import type { TokenOwner, TokenRecord, TokenStore } from '../domain/identity/token-store.ts';
import { ApiError } from '../platform/api-error.ts';
import { hashSecret } from '../platform/secret.ts';
import type { Clock, RandomBytes } from '../platform/system.ts';

const DAY_MS = 24 * 3_600_000;

export type MakeDeps = {
  clock: Clock;
  random: RandomBytes;
  /** A fresh unique name. */
  newId(): string;
};

/** What a token shall be, and for how many days. */
export type Wish = Pick<TokenRecord, 'name' | 'personId' | 'publisher' | 'appId' | 'scopes'> & {
  kind: TokenKind;
  days: number;
};

/** Whose a token is. */
export const ownerOf = ({ personId, publisher }: Pick<TokenRecord, 'personId' | 'publisher'>): TokenOwner =>
  personId === null ? { publisher: publisher ?? '' } : { personId };

/**
 * Refuses an owner who has as many tokens as there may be.
 * @param more those to come
 * @throws ApiError limit_reached
 */
export async function requireRoom(
  tokens: TokenStore,
  owner: TokenOwner,
  now: string,
  more: number,
): Promise<void> {
  const most = LIMITS.tokens.live;
  if ((await tokens.countLive(owner, now)) + more <= most) return;
  throw new ApiError('limit_reached', `There are ${most} tokens that hold already: revoke one first.`);
}

/**
 * Makes a token and puts it on record, in the transaction whose stores are given. What it returns is the only place where the
 * token is ever seen.
 */
export async function makeToken(
  { clock, random, newId }: MakeDeps,
  { tokens, audit }: { tokens: TokenStore; audit: AuditLog },
  actor: Actor,
  { days, ...wish }: Wish,
): Promise<{ token: string; record: TokenRecord }> {
  const token = newToken(wish.kind, random);
  const now = clock();
  const createdAt = now.toISOString();
  const record: TokenRecord = {
    ...wish,
    scopes: [...new Set(wish.scopes)],
    id: newId(),
    hash: hashSecret(token),
    createdAt,
    expiresAt: new Date(now.getTime() + days * DAY_MS).toISOString(),
    lastUsedAt: null,
    revokedAt: null,
  };
  await tokens.keep(record);
  const { kind, publisher, appId, scopes, expiresAt } = record;
  const detail = { kind, name: wish.name, scopes, expiresAt };
  await audit.add(actor, createdAt, {
    action: 'token.issue',
    tokenId: record.id,
    ...(publisher !== null && { publisher }),
    ...(appId !== null && { appId }),
    detail,
  });
  return { token, record };
}
