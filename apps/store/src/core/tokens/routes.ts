import type { AccessToken, AccessTokens, PublisherAccess } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import type { Handlers } from '../access/bind-route.ts';
import { requireOwner } from '../domain/identity/caller.ts';
import { presentMember } from '../domain/identity/member-store.ts';
import { unique } from '../domain/identity/names-on-record.ts';
import { presentToken } from '../domain/identity/token-format.ts';
import type { TokenRecord } from '../domain/identity/token-store.ts';
import type { Parts } from '../domain/parts/parts.ts';
import {
  issueToken,
  listTokens,
  makePersonalToken,
  makePublisherToken,
  ownerOf,
  requireToken,
  revokeToken,
  whoAmI,
} from './own-tokens.ts';
import { setPublishingRules } from './publishing-rules.ts';

type AccessDeps = Pick<Parts, 'people' | 'publishers' | 'members' | 'tokens' | 'clock'>;

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
async function publisherAccess(deps: AccessDeps, slug: string): Promise<PublisherAccess> {
  if (!(await deps.publishers.find(slug)))
    throw new ApiError('not_found', `There is no publisher with the short name ${slug}.`);
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
async function personTokens(deps: AccessDeps, id: string): Promise<AccessTokens> {
  if (!(await deps.people.find(id))) throw new ApiError('not_found', 'There is no user with this id.');
  return { tokens: await withNames(deps, await deps.tokens.liveMadeBy(id, deps.clock().toISOString())) };
}

/** All routes for tokens. */
export const tokenRoutes = (deps: Parts) =>
  ({
    // Of users for their own tokens.
    myTokens: ({ caller: { person } }) => listTokens(deps, { personId: person.id }),
    makeMyToken: ({ caller, body }) => makePersonalToken(deps, caller, body),
    revokeMyToken: ({ caller, params }) =>
      revokeToken(deps, caller, { personId: caller.person.id }, params.id),
    // Of owners for the tokens of their publishers.
    publisherTokens: async ({ caller, params: { slug } }) => {
      requireOwner(caller, slug);
      return listTokens(deps, { publisher: slug });
    },
    makePublisherToken: ({ caller, params: { slug }, body }) => makePublisherToken(deps, caller, slug, body),
    revokePublisherToken: async ({ caller, params: { slug, id } }) => {
      requireOwner(caller, slug);
      return revokeToken(deps, caller, { publisher: slug }, id);
    },
    // Of owners for who may publish an app.
    setPublishingRules: ({ caller, params, body }) => setPublishingRules(deps, caller, params, body),
    // Of administrators for the tokens of all users and publishers.
    publisherAccess: ({ params }) => publisherAccess(deps, params.slug),
    personTokens: ({ params }) => personTokens(deps, params.id),
    revokeAnyToken: ({ caller, params }) => revokeToken(deps, caller, null, params.id),
    issueToken: ({ caller, body }) => issueToken(deps, caller, body),
    whoAmI: ({ caller }) => whoAmI(deps, caller),
    revokeThisToken: async (request) => {
      const caller = requireToken(request.caller);
      const owner = ownerOf({
        personId: caller.person?.id ?? null,
        publisher: caller.token.publisher ?? null,
      });
      return revokeToken(deps, caller, owner, caller.tokenId);
    },
  }) satisfies Handlers;
