import type { Handlers } from '../access/bind-route.ts';
import { setRateLimitHeaders } from '../access/context.ts';
import { changePublisher, createPublisher, findPublishers, putPublisher } from './administer.ts';
import type { CheckDeps } from './check-website.ts';
import { type InvitationRouteDeps, invitationRoutes } from './invitations/routes.ts';
import { changeMember, expelMember, removeMember, setMember, transferPublisher } from './members.ts';
import { approveName, nameRequests, refuseName } from './names.ts';
import {
  createOwnPublisher,
  editPublisher,
  type OwnPublisherDeps,
  verifyPublisher,
} from './own-publisher.ts';
import { type DetailDeps, ownPublishers, publisherDetail } from './publisher-detail.ts';

type RouteDeps = InvitationRouteDeps & OwnPublisherDeps & CheckDeps & DetailDeps & { sendsMail: boolean };

export const publisherRoutes = (deps: RouteDeps) =>
  ({
    // Of administrators for publishers.
    publishers: ({ query }) => findPublishers(deps, query),
    createPublisher: ({ caller, body }) => createPublisher(deps, caller, body),
    changePublisher: ({ caller, params, body }) => changePublisher(deps, caller, params.slug, body),
    putPublisher: ({ caller, params, body }) => putPublisher(deps, caller, params.slug, body),
    nameRequests: ({ query }) => nameRequests(deps, query),
    approveName: ({ caller, params, body }) => approveName(deps, caller, params.slug, body.name),
    refuseName: ({ caller, params, body }) => refuseName(deps, caller, params.slug, body),
    expelMember: ({ caller, params }) => expelMember(deps, caller, params),
    setMember: ({ caller, params, body }) => setMember(deps, caller, params, body.role),
    // Of owners for the members of their publishers.
    changeMember: ({ caller, params, body }) => changeMember(deps, caller, params, body.role),
    removeMember: ({ caller, params }) => removeMember(deps, caller, params),
    transferPublisher: async ({ caller, params, body }) => {
      await transferPublisher(deps, caller, params.slug, body.to);
      return publisherDetail(deps, caller, params.slug);
    },
    ...invitationRoutes(deps),
    createOwnPublisher: async ({ caller, body }, c) => {
      setRateLimitHeaders(c, await createOwnPublisher(deps, caller, body));
      return publisherDetail(deps, caller, body.slug);
    },
    ownPublishers: ({ caller }) => ownPublishers(deps, caller),
    publisherDetail: ({ caller, params }) => publisherDetail(deps, caller, params.slug),
    editPublisher: async ({ caller, params, body }) => {
      await editPublisher(deps, caller, params.slug, body);
      return publisherDetail(deps, caller, params.slug);
    },
    verifyPublisher: async ({ caller, params }, c) => {
      const { result, quota } = await verifyPublisher(deps, caller, params.slug);
      setRateLimitHeaders(c, quota);
      return result;
    },
  }) satisfies Handlers;
