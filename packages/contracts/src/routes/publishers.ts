import { z } from 'zod';
import * as publishers from '../records/publishers.ts';
import * as webhooks from '../records/webhooks.ts';
import { caching, quotaHeaders, route } from './route.ts';

/** Events, and the webhooks that deliver them. */
export const webhookRoutes = {
  events: route.catalogue('members GET /api/events', {
    summary:
      'List what happened to published apps, oldest first, so that mirrors can follow and miss nothing.',
    query: webhooks.EventQuery,
    success: { status: 200, body: webhooks.StoreEvents },
    headers: { 'Cache-Control': caching['Cache-Control'] },
  }),
  webhooks: route.publishers('person GET /api/webhooks', {
    summary: 'List the webhooks of your publisher, or of the store.',
    query: webhooks.WebhookOwner,
    success: { status: 200, body: webhooks.Webhooks },
    errors: ['not_a_member'],
  }),
  addWebhook: route.publishers('person POST /api/webhooks', {
    summary:
      'Send events to an address, signed by Standard Webhooks. The secret is shown once. Events are tried for a day, and arrive at least once.',
    effects: ['makes-credential'],
    provenAddress: true,
    query: webhooks.WebhookOwner,
    body: webhooks.NewWebhook,
    success: { status: 201, body: webhooks.FreshWebhook },
    errors: ['not_a_member', 'publisher_suspended', 'limit_reached'],
  }),
  removeWebhook: route.publishers('person DELETE /api/webhooks/:id', {
    summary: 'Remove a webhook with its deliveries.',
    effects: ['revokes'],
    params: webhooks.WebhookParam,
    success: { status: 200, body: webhooks.Webhook },
    errors: ['not_a_member', 'not_found'],
  }),
  resumeWebhook: route.publishers('person POST /api/webhooks/:id/resume', {
    summary: 'Resume a webhook that was paused because its receiver stayed down. It gets what it missed.',
    effects: ['writes'],
    params: webhooks.WebhookParam,
    success: { status: 200, body: webhooks.Webhook },
    errors: ['not_a_member', 'not_found', 'already_handled'],
  }),
  webhookDeliveries: route.publishers('person GET /api/webhooks/:id/deliveries', {
    summary: 'List the last 100 events for a webhook, and how the receiver answered.',
    params: webhooks.WebhookParam,
    success: { status: 200, body: webhooks.WebhookDeliveries },
    errors: ['not_a_member', 'not_found'],
  }),
  redeliver: route.publishers('person POST /api/webhooks/:id/deliveries/:event/redeliver', {
    summary: 'Send an event to a webhook again.',
    effects: ['writes'],
    params: webhooks.DeliveryParam,
    success: { status: 200, body: webhooks.WebhookDelivery },
    errors: ['not_a_member', 'not_found'],
  }),
};

const InvitationParam = z.object({ id: z.string().min(1).describe('Id of the invitation.') });
const InvitationLink = z.object({ link: z.string().min(1).describe('Id and MAC of the invitation.') });

/** Routes for users to manage their publishers. */
export const publishersRoutes = {
  createOwnPublisher: route.publishers('person POST /api/publishers', {
    summary: 'Create a publisher and become its owner.',
    effects: ['writes'],
    provenAddress: true,
    body: publishers.NewOwnPublisher,
    success: { status: 201, body: publishers.PublisherDetail },
    headers: quotaHeaders('new publishers of one user'),
    errors: ['already_exists', 'rate_limited'],
  }),
  ownPublishers: route.publishers('person GET /api/publishers', {
    summary: 'List your publishers.',
    success: { status: 200, body: publishers.OwnPublishers },
  }),
  publisherDetail: route.publishers('person GET /api/publishers/:slug', {
    summary: 'Get a publisher of yours: members, invitations, verification.',
    success: { status: 200, body: publishers.PublisherDetail },
  }),
  editPublisher: route.publishers('person PATCH /api/publishers/:slug', {
    summary: 'Change the name or the website of a publisher.',
    effects: ['writes'],
    body: publishers.PublisherEdit,
    success: { status: 200, body: publishers.PublisherDetail },
    errors: ['not_a_member', 'publisher_suspended', 'already_exists'],
  }),
  verifyPublisher: route.publishers('person POST /api/publishers/:slug/verify', {
    summary: 'Verify the website of a publisher now.',
    effects: ['verifies'],
    success: { status: 200, body: publishers.VerificationResult },
    headers: quotaHeaders('verifications of one publisher'),
    errors: ['invalid_request', 'not_a_member', 'publisher_suspended', 'already_handled', 'rate_limited'],
  }),
  changeMember: route.publishers('person PATCH /api/publishers/:slug/members/:personId', {
    summary: 'Change the role of a member.',
    effects: ['gives-power'],
    body: publishers.MemberChange,
    success: { status: 200, body: publishers.PublisherMember },
    errors: ['not_a_member', 'publisher_suspended', 'not_found', 'last_owner'],
  }),
  removeMember: route.publishers('person DELETE /api/publishers/:slug/members/:personId', {
    summary: 'Remove a member, or leave the publisher.',
    effects: ['takes-access'],
    success: { status: 200, body: publishers.PublisherMember },
    errors: ['not_a_member', 'not_found', 'last_owner'],
  }),
  transferPublisher: route.publishers('person POST /api/publishers/:slug/transfer', {
    summary: 'Transfer your ownership of a publisher to another member.',
    effects: ['moves-ownership'],
    body: publishers.PublisherTransfer,
    success: { status: 200, body: publishers.PublisherDetail },
    errors: ['not_a_member', 'publisher_suspended', 'not_found', 'last_owner'],
  }),
  invite: route.publishers('person POST /api/publishers/:slug/invitations', {
    summary: 'Invite a user to a publisher.',
    effects: ['gives-power'],
    body: publishers.NewInvitation,
    success: { status: 201, body: publishers.Invitation },
    headers: quotaHeaders('invitations of one publisher'),
    errors: ['not_a_member', 'publisher_suspended', 'rate_limited'],
  }),
  revokeInvitation: route.publishers('person DELETE /api/publishers/:slug/invitations/:id', {
    summary: 'Revoke an invitation.',
    effects: ['revokes'],
    params: InvitationParam,
    success: { status: 200, body: publishers.Invitation },
    errors: ['not_a_member', 'not_found'],
  }),
  invitationPage: route.publishers('person GET /invitations/:link', {
    summary: 'Page that shows an invitation: the publisher, the role, and who sent it.',
    page: true,
    secretAddress: true,
    params: InvitationLink,
  }),
  acceptInvitation: route.publishers('person POST /invitations/:link', {
    summary: 'Accept an invitation. It works once.',
    effects: ['accepts'],
    page: true,
    secretAddress: true,
    params: InvitationLink,
    form: z.strictObject({}),
    errors: ['not_found', 'publisher_suspended', 'already_exists'],
  }),
};
