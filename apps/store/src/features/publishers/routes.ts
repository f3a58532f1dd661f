import type { RouteHandler } from '../../access/bind-route.ts';
import { setRateLimitHeaders } from '../../access/rate-limit-headers.ts';
import { personOf } from '../../access/signed-in.ts';
import { changePublisher, createPublisher, findPublishers, type PublisherDeps } from './administer.ts';
import { type InvitationRouteDeps, invitationRoutes } from './invitations/routes.ts';
import {
  changeMember,
  expelMember,
  type MemberDeps,
  removeMember,
  setMember,
  transferPublisher,
} from './members.ts';
import { approveName, type NameDeps, nameRequests, refuseName } from './names.ts';
import { createOwnPublisher, editPublisher, type OwnPublisherDeps } from './own-publisher.ts';
import { type DetailDeps, ownPublishers, publisherDetail } from './publisher-detail.ts';
import { type VerifyDeps, verifyPublisher } from './verify-publisher.ts';

type RouteDeps = PublisherDeps & { sendsMail: boolean } & NameDeps &
  OwnPublisherDeps &
  DetailDeps &
  MemberDeps &
  VerifyDeps &
  InvitationRouteDeps;

/** The routes of administrators for publishers. */
const adminRoutes = (deps: RouteDeps) => ({
  publishers: (async (c, { query }) =>
    c.json(await findPublishers(deps, query), 200, {
      'Cache-Control': 'no-store',
    })) satisfies RouteHandler<'publishers'>,
  createPublisher: (async (c, { body }) =>
    c.json(
      await createPublisher(deps, c.get('caller'), body),
      201,
    )) satisfies RouteHandler<'createPublisher'>,
  changePublisher: (async (c, { params, body }) =>
    c.json(
      await changePublisher(deps, c.get('caller'), params.slug, body),
    )) satisfies RouteHandler<'changePublisher'>,
  nameRequests: (async (c, { query }) =>
    c.json(await nameRequests(deps, query), 200, {
      'Cache-Control': 'no-store',
    })) satisfies RouteHandler<'nameRequests'>,
  approveName: (async (c, { params, body }) =>
    c.json(
      await approveName(deps, c.get('caller'), params.slug, body.name),
    )) satisfies RouteHandler<'approveName'>,
  refuseName: (async (c, { params, body }) =>
    c.json(await refuseName(deps, c.get('caller'), params.slug, body))) satisfies RouteHandler<'refuseName'>,
  expelMember: (async (c, { params }) =>
    c.json(await expelMember(deps, c.get('caller'), params))) satisfies RouteHandler<'expelMember'>,
  setMember: (async (c, { params, body }) =>
    c.json(await setMember(deps, c.get('caller'), params, body.role))) satisfies RouteHandler<'setMember'>,
});

/** The routes of owners for the members of their publishers. */
const memberRoutes = (deps: RouteDeps) => ({
  changeMember: (async (c, { params, body }) =>
    c.json(await changeMember(deps, personOf(c), params, body.role))) satisfies RouteHandler<'changeMember'>,
  removeMember: (async (c, { params }) =>
    c.json(await removeMember(deps, personOf(c), params))) satisfies RouteHandler<'removeMember'>,
  transferPublisher: (async (c, { params, body }) => {
    const caller = personOf(c);
    await transferPublisher(deps, caller, params.slug, body.to);
    return c.json(await publisherDetail(deps, caller, params.slug));
  }) satisfies RouteHandler<'transferPublisher'>,
});

export const publisherRoutes = (deps: RouteDeps) => ({
  ...adminRoutes(deps),
  ...memberRoutes(deps),
  ...invitationRoutes(deps),
  createOwnPublisher: (async (c, { body }) => {
    const caller = personOf(c);
    setRateLimitHeaders(c, await createOwnPublisher(deps, caller, body));
    return c.json(await publisherDetail(deps, caller, body.slug), 201);
  }) satisfies RouteHandler<'createOwnPublisher'>,
  ownPublishers: (async (c) =>
    c.json(await ownPublishers(deps, personOf(c)))) satisfies RouteHandler<'ownPublishers'>,
  publisherDetail: (async (c, { params }) =>
    c.json(await publisherDetail(deps, personOf(c), params.slug))) satisfies RouteHandler<'publisherDetail'>,
  editPublisher: (async (c, { params, body }) => {
    const caller = personOf(c);
    await editPublisher(deps, caller, params.slug, body);
    return c.json(await publisherDetail(deps, caller, params.slug));
  }) satisfies RouteHandler<'editPublisher'>,
  verifyPublisher: (async (c, { params }) => {
    const { result, quota } = await verifyPublisher(deps, personOf(c), params.slug);
    setRateLimitHeaders(c, quota);
    return c.json(result);
  }) satisfies RouteHandler<'verifyPublisher'>,
});
