import type { RouteHandler } from '../../access/bind-route.ts';
import { originOf } from '../../access/context.ts';
import { personOf } from '../../access/signed-in.ts';
import { requireOwner } from '../../domain/identity/caller.ts';
import type { Parts } from '../../domain/parts/parts.ts';
import { type AccessDeps, personTokens, publisherAccess } from './administer.ts';
import { createExchange, type ExchangeDeps } from './exchange-id-token.ts';
import { type IssueDeps, issueToken } from './issue-token.ts';
import { ownerOf } from './make-token.ts';
import {
  listTokens,
  makePersonalToken,
  makePublisherToken,
  type OwnTokensDeps,
  revokeToken,
} from './own-tokens.ts';
import {
  addTrustedPublisher,
  listTrustedPublishers,
  removeTrustedPublisher,
  setPublishingRules,
  type TrustedPublisherDeps,
} from './trusted-publishers.ts';
import { requireToken, whoAmI } from './whoami.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };

type RouteDeps = Omit<IssueDeps, 'unitOfWork'> &
  OwnTokensDeps &
  AccessDeps &
  Pick<Parts, 'publishers' | 'people'> & { unitOfWork: IssueDeps['unitOfWork'] } & TrustedPublisherDeps &
  ExchangeDeps;

/** The routes of users for their own tokens. */
const myTokenRoutes = (deps: RouteDeps) => ({
  myTokens: (async (c) => {
    const { person } = personOf(c);
    return c.json(await listTokens(deps, { personId: person.id }), 200, NO_STORE);
  }) satisfies RouteHandler<'myTokens'>,
  makeMyToken: (async (c, { body }) =>
    c.json(
      await makePersonalToken(deps, personOf(c), body),
      201,
      NO_STORE,
    )) satisfies RouteHandler<'makeMyToken'>,
  revokeMyToken: (async (c, { params }) => {
    const caller = personOf(c);
    return c.json(await revokeToken(deps, caller, { personId: caller.person.id }, params.id));
  }) satisfies RouteHandler<'revokeMyToken'>,
});

/** The routes of owners for the tokens of their publishers. */
const publisherTokenRoutes = (deps: RouteDeps) => ({
  publisherTokens: (async (c, { params: { slug } }) => {
    requireOwner(c.get('caller'), slug);
    return c.json(await listTokens(deps, { publisher: slug }), 200, NO_STORE);
  }) satisfies RouteHandler<'publisherTokens'>,
  makePublisherToken: (async (c, { params: { slug }, body }) =>
    c.json(
      await makePublisherToken(deps, personOf(c), slug, body),
      201,
      NO_STORE,
    )) satisfies RouteHandler<'makePublisherToken'>,
  revokePublisherToken: (async (c, { params: { slug, id } }) => {
    requireOwner(c.get('caller'), slug);
    return c.json(await revokeToken(deps, c.get('caller'), { publisher: slug }, id));
  }) satisfies RouteHandler<'revokePublisherToken'>,
});

/** The routes of owners for the CI workflows that may publish their apps, and of the jobs of these. */
function trustedPublishingRoutes(deps: RouteDeps) {
  const exchange = createExchange(deps);
  return {
    trustedPublishers: (async (c, { params, query }) =>
      c.json(
        await listTrustedPublishers(deps, personOf(c), params.slug, query.appId),
        200,
        NO_STORE,
      )) satisfies RouteHandler<'trustedPublishers'>,
    addTrustedPublisher: (async (c, { params, body }) =>
      c.json(
        await addTrustedPublisher(deps, personOf(c), params.slug, body),
        201,
        NO_STORE,
      )) satisfies RouteHandler<'addTrustedPublisher'>,
    removeTrustedPublisher: (async (c, { params: { slug, id } }) =>
      c.json(
        await removeTrustedPublisher(deps, personOf(c), slug, id),
      )) satisfies RouteHandler<'removeTrustedPublisher'>,
    setPublishingRules: (async (c, { params, body }) =>
      c.json(
        await setPublishingRules(deps, personOf(c), params, body),
      )) satisfies RouteHandler<'setPublishingRules'>,
    exchangeIdToken: (async (c, { body }) =>
      c.json(await exchange(body, originOf(c)), 201, NO_STORE)) satisfies RouteHandler<'exchangeIdToken'>,
  };
}

/** The routes of administrators for the tokens of all users and publishers. */
const adminTokenRoutes = (deps: RouteDeps) => ({
  publisherAccess: (async (c, { params }) =>
    c.json(
      await publisherAccess(deps, params.slug),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'publisherAccess'>,
  personTokens: (async (c, { params }) =>
    c.json(await personTokens(deps, params.id), 200, NO_STORE)) satisfies RouteHandler<'personTokens'>,
  revokeAnyToken: (async (c, { params }) =>
    c.json(
      await revokeToken(deps, c.get('caller'), null, params.id),
    )) satisfies RouteHandler<'revokeAnyToken'>,
});

/** All routes for tokens. */
export const tokenRoutes = (deps: RouteDeps) => ({
  ...myTokenRoutes(deps),
  ...publisherTokenRoutes(deps),
  ...trustedPublishingRoutes(deps),
  ...adminTokenRoutes(deps),
  issueToken: (async (c, { body }) =>
    c.json(
      await issueToken(deps, c.get('caller'), body),
      201,
      NO_STORE,
    )) satisfies RouteHandler<'issueToken'>,
  whoAmI: (async (c) =>
    c.json(await whoAmI(deps, c.get('caller')), 200, NO_STORE)) satisfies RouteHandler<'whoAmI'>,
  revokeThisToken: (async (c) => {
    const caller = requireToken(c.get('caller'));
    const owner = ownerOf({ personId: caller.person?.id ?? null, publisher: caller.token.publisher ?? null });
    return c.json(await revokeToken(deps, caller, owner, caller.tokenId));
  }) satisfies RouteHandler<'revokeThisToken'>,
});
