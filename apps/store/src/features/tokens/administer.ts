import type { AccessToken, AccessTokens, PublisherAccess } from '@svc/contracts';
import { unique } from '../../domain/identity/names-on-record.ts';
import { presentMember } from '../../domain/identity/present-member.ts';
import { presentToken } from '../../domain/identity/token-format.ts';
import type { TokenRecord } from '../../domain/identity/token-store.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';

export type AccessDeps = Pick<Parts, 'people' | 'publishers' | 'members' | 'tokens' | 'clock'>;

/** Presents tokens with the names of their owners and creators. */
async function withNames(
  { people }: Pick<AccessDeps, 'people'>,
  records: readonly TokenRecord[],
): Promise<AccessToken[]> {
  const ids = unique(records.flatMap(({ personId, madeBy }) => [personId, madeBy]));
  const names = new Map((await people.findAll(ids)).map(({ id, name }) => [id, name]));
  const nameOf = (id: string | null): string | null => (id === null ? null : (names.get(id) ?? null));
  return records.map((record) => ({
    ...presentToken(record),
    ownedBy: nameOf(record.personId),
    madeBy: nameOf(record.madeBy),
  }));
}

/**
 * Who may act for a publisher: its members, and every valid token that may act for it.
 * @throws ApiError not_found
 */
export async function publisherAccess(deps: AccessDeps, slug: string): Promise<PublisherAccess> {
  if (!(await deps.publishers.find(slug)))
    throw new ApiError('not_found', `There is no publisher with the slug ${slug}.`);
  const members = await deps.members.of(slug);
  const persons = await deps.people.findAll(members.map(({ personId }) => personId));
  const byId = new Map(persons.map((person) => [person.id, person]));
  return {
    members: members.map((member) => presentMember(member, byId.get(member.personId), true)),
    tokens: await withNames(deps, await deps.tokens.liveFor(slug, deps.clock().toISOString())),
  };
}

/**
 * The valid tokens that a user owns or created.
 * @throws ApiError not_found
 */
export async function personTokens(deps: AccessDeps, id: string): Promise<AccessTokens> {
  if (!(await deps.people.find(id))) throw new ApiError('not_found', 'There is no user with this id.');
  return { tokens: await withNames(deps, await deps.tokens.liveMadeBy(id, deps.clock().toISOString())) };
}
