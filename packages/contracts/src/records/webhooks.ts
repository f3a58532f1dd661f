import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { EVENT_TYPES, PUBLIC_EVENT_TYPES } from '../vocabulary.ts';
import { PublisherSlug, pageSize, Timestamp } from './common.ts';

export const EventType = z.enum(EVENT_TYPES);
export type EventType = z.infer<typeof EventType>;

const { url, page, webhooks } = LIMITS.events;

/** Something that happened to an app or a publisher: the body of a webhook (Standard Webhooks, "Payload structure"). */
export const StoreEvent = named.object('StoreEvent', {
  type: EventType,
  timestamp: Timestamp.describe('When it happened.'),
  data: z.object({
    id: z.string().describe('Id of the event; with it, `/api/events` continues after the event.'),
    appId: z.string().nullable(),
    version: z.string().nullable(),
    publisher: z.string().nullable(),
    reason: z.string().optional().describe('The reason or the note, where there is one.'),
    tags: z
      .array(z.string())
      .optional()
      .describe('Tags of what it is about, as in `Surrogate-Key` and `Cache-Tag`: purge them in a CDN.'),
  }),
});
export type StoreEvent = z.infer<typeof StoreEvent>;

/** Query of the public events. */
export const EventQuery = z.object({
  since: z
    .string()
    .regex(/^\d{1,15}$/, 'must be `next` of an earlier answer')
    .optional()
    .describe('`next` of the previous answer; without it, from the beginning.'),
  limit: pageSize(page, page, 'Events at once'),
});
export type EventQuery = z.infer<typeof EventQuery>;

/** Public events in the order in which they happened. */
export const StoreEvents = named.object('StoreEvents', {
  events: z.array(StoreEvent.extend({ type: z.enum(PUBLIC_EVENT_TYPES) })),
  next: z.string().describe('Send it as `since` to get the events that follow, now or later.'),
});
export type StoreEvents = z.infer<typeof StoreEvents>;

/** Query that names whose webhooks are meant. */
export const WebhookOwner = z.object({
  publisher: PublisherSlug.optional().describe(
    'Your publisher; without it, the webhooks of the store, for administrators.',
  ),
});
export type WebhookOwner = z.infer<typeof WebhookOwner>;

/** Request body that adds a webhook. */
export const NewWebhook = named.strictObject('NewWebhook', {
  url: z
    .url({ protocol: /^https$/ })
    .max(url)
    .describe('An https address of a host on the Internet, without a port.'),
  types: z.array(EventType).min(1).optional().describe('Only these events; all by default.'),
});
export type NewWebhook = z.infer<typeof NewWebhook>;

/** A webhook, without its secret. */
export const Webhook = named.object('Webhook', {
  id: z.string(),
  url: z.string(),
  types: z.array(EventType).nullable().describe('Null for all events.'),
  createdAt: Timestamp,
  disabledAt: Timestamp.nullable().describe('When the receiver answered 410 Gone, which ends it.'),
  failingSince: Timestamp.nullable().describe(
    'Since when every try has failed; null after one that did not.',
  ),
  pausedAt: Timestamp.nullable().describe(
    'When it was paused, as its receiver stayed down for half a day; `resume` ends that, and sends what it missed.',
  ),
});
export type Webhook = z.infer<typeof Webhook>;

/** A new webhook. Its secret is shown once. */
export const FreshWebhook = Webhook.extend({
  secret: z.string().describe('`whsec_` and the key of the `v1` signatures, in base64.'),
}).meta({ id: 'FreshWebhook' });
export type FreshWebhook = z.infer<typeof FreshWebhook>;

/** The webhooks of a publisher, or of the store. */
export const Webhooks = named.object('Webhooks', {
  webhooks: z.array(Webhook).max(webhooks),
  publicKey: z
    .string()
    .describe('`whpk_` and the key of the `v1a` signatures, which is the signing key of the store.'),
});
export type Webhooks = z.infer<typeof Webhooks>;

/** Path parameters of a webhook and of one of its deliveries. */
export const WebhookParam = z.object({ id: z.string().min(1).max(100).describe('Id of the webhook.') });
export const DeliveryParam = WebhookParam.extend({
  event: z
    .string()
    .regex(/^\d{1,15}$/)
    .describe('Id of the event.'),
});

/** An event that a webhook got, or is to get. */
export const WebhookDelivery = named.object('WebhookDelivery', {
  event: StoreEvent,
  state: z.enum(['waiting', 'delivered', 'failed']),
  tries: z.int().min(0),
  triedAt: Timestamp.nullable(),
  nextTryAt: Timestamp.nullable().describe('When it is tried again; null when it is not.'),
  status: z.int().nullable().describe('Status of the last answer; null when there was none.'),
  fault: z.string().nullable().describe('Why there was no answer.'),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** The latest deliveries of a webhook, newest event first. */
export const WebhookDeliveries = named.object('WebhookDeliveries', { deliveries: z.array(WebhookDelivery) });
export type WebhookDeliveries = z.infer<typeof WebhookDeliveries>;
