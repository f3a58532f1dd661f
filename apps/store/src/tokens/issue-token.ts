import { createHash } from 'node:crypto';
import { type IssuedToken, type NewToken, TOKEN_SCOPES } from '@svc/contracts';
import type { Clock, RandomBytes } from '../platform/ambient.ts';
import { Refusal } from '../platform/refusal.ts';
import type { PublisherStore } from '../publishers/publisher-store.ts';
import { newToken } from './token-format.ts';
import type { TokenStore } from './token-store.ts';

const LIFETIME_MS = 90 * 24 * 60 * 60_000;

/** The form in which a token is kept. It holds 172 random bits, so a plain hash cannot be guessed back. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/**
 * Makes a token that acts for a publisher. This answer is the only place where it is ever seen.
 * @throws Refusal unknown_publisher
 */
export async function issueToken(
  deps: { tokens: TokenStore; publishers: PublisherStore; clock: Clock; random: RandomBytes },
  { publisher, scopes }: NewToken,
): Promise<IssuedToken> {
  if (!(await deps.publishers.find(publisher))) {
    throw new Refusal(
      'unknown_publisher',
      `There is no publisher with the slug ${publisher}: make it first.`,
    );
  }
  const token = newToken('ci', deps.random);
  const now = deps.clock();
  const granted = { publisher, scopes: [...new Set(scopes ?? TOKEN_SCOPES)] };
  const expiresAt = new Date(now.getTime() + LIFETIME_MS).toISOString();
  await deps.tokens.keep({ ...granted, hash: hashToken(token), createdAt: now.toISOString(), expiresAt });
  return { ...granted, token, expiresAt };
}
