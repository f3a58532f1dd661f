import * as webhooks from '../records/webhooks.ts';
import { caching } from './parts.ts';
import { route } from './route.ts';

/** Events, and the webhooks that deliver them. */
export const webhookRoutes = {
  events: route.catalogue('GET /api/events', {
    summary:
      'List what happened to published apps, oldest first, so that mirrors can follow and miss nothing.',
    auth: 'none',
    query: webhooks.EventQuery,
    success: { status: 200, body: webhooks.StoreEvents },
    headers: { 'Cache-Control': caching['Cache-Control'] },
  }),
  webhooks: route.publishers('GET /api/webhooks', {
    summary: 'List the webhooks of your publisher, or of the store.',
    auth: 'person',
    query: webhooks.WebhookOwner,
    success: { status: 200, body: webhooks.Webhooks },
    errors: ['not_a_member'],
  }),
  addWebhook: route.publishers('POST /api/webhooks', {
    summary:
      'Send events to an address, signed by Standard Webhooks. The secret is shown once. Events are tried for a day, and arrive at least once.',
    auth: 'person',
    freshProof: true,
    provenAddress: true,
    query: webhooks.WebhookOwner,
    body: webhooks.NewWebhook,
    success: { status: 201, body: webhooks.FreshWebhook },
    errors: ['not_a_member', 'publisher_suspended', 'limit_reached'],
  }),
  removeWebhook: route.publishers('DELETE /api/webhooks/:id', {
    summary: 'Remove a webhook with its deliveries.',
    auth: 'person',
    params: webhooks.WebhookParam,
    success: { status: 200, body: webhooks.Webhook },
    errors: ['not_a_member', 'not_found'],
  }),
  webhookDeliveries: route.publishers('GET /api/webhooks/:id/deliveries', {
    summary: 'List the last 100 events for a webhook, and how the receiver answered.',
    auth: 'person',
    params: webhooks.WebhookParam,
    success: { status: 200, body: webhooks.WebhookDeliveries },
    errors: ['not_a_member', 'not_found'],
  }),
  redeliver: route.publishers('POST /api/webhooks/:id/deliveries/:event/redeliver', {
    summary: 'Send an event to a webhook again.',
    auth: 'person',
    params: webhooks.DeliveryParam,
    success: { status: 200, body: webhooks.WebhookDelivery },
    errors: ['not_a_member', 'not_found'],
  }),
};
