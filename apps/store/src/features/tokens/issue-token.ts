import { type IssuedToken, LIMITS, type NewToken, TOKEN_SCOPES } from '@svc/contracts';
import type { Actor } from '../../domain/audit/audit-log.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { type MakeDeps, makeToken, requireBelowLimit } from './make-token.ts';

export type IssueDeps = MakeDeps & {
  unitOfWork: UnitOfWork<Pick<Parts, 'tokens' | 'publishers' | 'audit'>>;
};

/**
 * Issues a token of a publisher, for the operator of the store.
 * @throws ApiError unknown_publisher, limit_reached
 */
export async function issueToken(
  deps: IssueDeps,
  caller: Actor,
  { publisher, scopes }: NewToken,
): Promise<IssuedToken> {
  const { token, record } = await deps.unitOfWork(async (stores) => {
    if (!(await stores.publishers.find(publisher))) {
      throw new ApiError(
        'unknown_publisher',
        `There is no publisher with the slug ${publisher}: create it first.`,
      );
    }
    await requireBelowLimit(stores.tokens, { publisher }, deps.clock().toISOString(), 1);
    return makeToken(deps, stores, caller, {
      kind: 'ci',
      name: 'automation',
      personId: null,
      publisher,
      appId: null,
      scopes: [...(scopes ?? TOKEN_SCOPES)],
      days: LIMITS.tokens.days.default,
    });
  });
  return { id: record.id, token, publisher, scopes: record.scopes, expiresAt: record.expiresAt };
}
