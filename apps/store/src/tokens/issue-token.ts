import { type IssuedToken, type NewToken, TOKEN_SCOPES } from '@svc/contracts';
import type { Actor, AuditLog } from '../audit/audit-log.ts';
import type { Clock, RandomBytes, UnitOfWork } from '../platform/ambient.ts';
import { Refusal } from '../platform/refusal.ts';
import { hashSecret } from '../platform/secret.ts';
import type { PublisherStore } from '../publishers/publisher-store.ts';
import { newToken } from './token-format.ts';
import type { TokenStore } from './token-store.ts';

const LIFETIME_MS = 90 * 24 * 60 * 60_000;

export type IssueDeps = {
  unitOfWork: UnitOfWork<{ tokens: TokenStore; publishers: PublisherStore; audit: AuditLog }>;
  clock: Clock;
  random: RandomBytes;
  /** A fresh unique name. */
  newId(): string;
};

/**
 * Makes a token that acts for a publisher. This answer is the only place where it is ever seen.
 * @throws Refusal unknown_publisher
 */
export async function issueToken(
  deps: IssueDeps,
  caller: Actor,
  { publisher, scopes }: NewToken,
): Promise<IssuedToken> {
  const token = newToken('ci', deps.random);
  const now = deps.clock();
  const createdAt = now.toISOString();
  const expiresAt = new Date(now.getTime() + LIFETIME_MS).toISOString();
  const granted = { id: deps.newId(), publisher, scopes: [...new Set(scopes ?? TOKEN_SCOPES)] };
  await deps.unitOfWork(async ({ tokens, publishers, audit }) => {
    if (!(await publishers.find(publisher))) {
      throw new Refusal(
        'unknown_publisher',
        `There is no publisher with the slug ${publisher}: make it first.`,
      );
    }
    await tokens.keep({
      ...granted,
      hash: hashSecret(token),
      kind: 'ci',
      name: 'automation',
      personId: null,
      appId: null,
      createdAt,
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    });
    const detail = { scopes: granted.scopes, expiresAt };
    await audit.add(caller, createdAt, { action: 'token.issue', publisher, tokenId: granted.id, detail });
  });
  return { ...granted, token, expiresAt };
}
