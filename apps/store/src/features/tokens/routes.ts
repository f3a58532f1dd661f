import type { Handlers } from '../../access/bind-route.ts';
import { originOf } from '../../access/context.ts';
import { requireOwner } from '../../domain/identity/caller.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { type AccessDeps, personTokens, publisherAccess } from './administer.ts';
import { createExchange, type ExchangeDeps } from './exchange-id-token.ts';
import { ownerOf } from './make-token.ts';
import {
  type IssueDeps,
  issueToken,
  listTokens,
  makePersonalToken,
  makePublisherToken,
  type OwnTokensDeps,
  requireToken,
  revokeToken,
  whoAmI,
} from './own-tokens.ts';
import {
  addTrustedPublisher,
  listTrustedPublishers,
  removeTrustedPublisher,
  setPublishingRules,
  type TrustedPublisherDeps,
} from './trusted-publishers.ts';

type RouteDeps = Omit<IssueDeps, 'unitOfWork'> &
  OwnTokensDeps &
  AccessDeps &
  Pick<Parts, 'publishers' | 'people'> & { unitOfWork: IssueDeps['unitOfWork'] } & TrustedPublisherDeps &
  ExchangeDeps;

/** The routes of users for their own tokens. */
const myTokenRoutes = (deps: RouteDeps) =>
  ({
    myTokens: ({ caller: { person } }) => listTokens(deps, { personId: person.id }),
    makeMyToken: ({ caller, body }) => makePersonalToken(deps, caller, body),
    revokeMyToken: ({ caller, params }) =>
      revokeToken(deps, caller, { personId: caller.person.id }, params.id),
  }) satisfies Handlers;

/** The routes of owners for the tokens of their publishers. */
const publisherTokenRoutes = (deps: RouteDeps) =>
  ({
    publisherTokens: async ({ caller, params: { slug } }) => {
      requireOwner(caller, slug);
      return listTokens(deps, { publisher: slug });
    },
    makePublisherToken: ({ caller, params: { slug }, body }) => makePublisherToken(deps, caller, slug, body),
    revokePublisherToken: async ({ caller, params: { slug, id } }) => {
      requireOwner(caller, slug);
      return revokeToken(deps, caller, { publisher: slug }, id);
    },
  }) satisfies Handlers;

/** The routes of owners for the CI workflows that may publish their apps, and of the jobs of these. */
function trustedPublishingRoutes(deps: RouteDeps) {
  const exchange = createExchange(deps);
  return {
    trustedPublishers: ({ caller, params, query }) =>
      listTrustedPublishers(deps, caller, params.slug, query.appId),
    addTrustedPublisher: ({ caller, params, body }) => addTrustedPublisher(deps, caller, params.slug, body),
    removeTrustedPublisher: ({ caller, params: { slug, id } }) =>
      removeTrustedPublisher(deps, caller, slug, id),
    setPublishingRules: ({ caller, params, body }) => setPublishingRules(deps, caller, params, body),
    exchangeIdToken: ({ body }, c) => exchange(body, originOf(c)),
  } satisfies Handlers;
}

/** The routes of administrators for the tokens of all users and publishers. */
const adminTokenRoutes = (deps: RouteDeps) =>
  ({
    publisherAccess: ({ params }) => publisherAccess(deps, params.slug),
    personTokens: ({ params }) => personTokens(deps, params.id),
    revokeAnyToken: ({ caller, params }) => revokeToken(deps, caller, null, params.id),
  }) satisfies Handlers;

/** All routes for tokens. */
export const tokenRoutes = (deps: RouteDeps) =>
  ({
    ...myTokenRoutes(deps),
    ...publisherTokenRoutes(deps),
    ...trustedPublishingRoutes(deps),
    ...adminTokenRoutes(deps),
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
