import { createHmac, type KeyObject, sign } from 'node:crypto';
import type { SigningKey } from '@svc/signing';
import type { Clock, Log, UnitOfWork } from '../../platform/system.ts';
import type { Sites } from '../publishers/site.ts';
import type { EventStore, PlacedEvent } from './event-store.ts';
import type { DeliveryRecord, WebhookRecord, WebhookStore } from './webhook-store.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after failed tries: about a day together (Standard Webhooks, "Deliverability and reliability"). */
const PAUSES_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
];

/** The lease of a process on a delivery: longer than the timeout of a receiver. */
const LEASE_MS = MINUTE_MS;
/** Events that are queued for a webhook at once, webhooks that are looked at, and deliveries that are read, at once. */
const BATCH = 100;

/** RFC 9110 section 15.5.11. */
const GONE = 410;

export type DeliverDeps = {
  webhooks: WebhookStore;
  events: EventStore;
  unitOfWork: UnitOfWork<{ webhooks: WebhookStore }>;
  sites: Pick<Sites, 'post'>;
  signingKey: Pick<SigningKey, 'privateKey'>;
  clock: Clock;
  log: Log;
};

const SECRET = 'whsec_';

/** A secret as receivers configure it. */
export const secretText = (key: Uint8Array): string => SECRET + Buffer.from(key).toString('base64');

/**
 * The headers of a message (Standard Webhooks 1.0). `v1` is an HMAC with the secret of the webhook, `v1a` an Ed25519 signature with the
 * signing key of the store: what it covers begins with an id, so it can be taken for no other signed text of the store.
 */
function signedHeaders(id: string, sentAt: Date, body: string, secret: string, privateKey: KeyObject) {
  const timestamp = String(Math.floor(sentAt.getTime() / SECOND_MS));
  const content = Buffer.from(`${id}.${timestamp}.${body}`);
  const key = Buffer.from(secret.slice(SECRET.length), 'base64');
  const mac = createHmac('sha256', key).update(content).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${mac} v1a,${sign(null, content, privateKey).toString('base64')}`,
  };
}

/** Queues the events of a webhook that are not queued yet. */
async function queueFor({ unitOfWork, events, clock }: DeliverDeps, webhook: WebhookRecord, last: number) {
  const found = await events.after(webhook.afterEvent, webhook.publisher, BATCH);
  // All of them are read: what follows the last one is of others.
  const upTo = found.length < BATCH ? Math.max(last, found.at(-1)?.id ?? 0) : (found.at(-1)?.id ?? last);
  const wanted = found.filter(({ event }) => webhook.types === null || webhook.types.includes(event.type));
  const ids = wanted.map(({ id }) => id);
  await unitOfWork((stores) => stores.webhooks.queue(webhook, ids, upTo, clock().toISOString()));
}

/** Sends an event to its receiver. @returns whether the next event of the webhook may follow */
async function send(
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: DeliveryRecord,
  { event }: PlacedEvent,
): Promise<boolean> {
  const now = deps.clock();
  const later = (ms: number) => new Date(now.getTime() + ms).toISOString();
  if (!(await deps.webhooks.claim(delivery, now.toISOString(), later(LEASE_MS)))) return true;
  const body = JSON.stringify(event);
  const headers = signedHeaders(
    `evt_${event.data.id}`,
    now,
    body,
    webhook.secret,
    deps.signingKey.privateKey,
  );
  const answer = await deps.sites.post(webhook.url, headers, body);
  const status = 'status' in answer ? answer.status : null;
  const isTaken = status !== null && status >= 200 && status < 300;
  const pause = PAUSES_MS[delivery.tries];
  const isOver = isTaken || pause === undefined;
  await deps.webhooks.ended(delivery, {
    state: isTaken ? 'delivered' : isOver ? 'failed' : 'waiting',
    nextTryAt: isOver ? null : later(pause),
    status,
    fault: 'fault' in answer ? answer.fault : null,
  });
  if (status === GONE) {
    deps.log.warn(
      { webhook: webhook.id },
      'The receiver of a webhook is gone: the webhook was switched off.',
    );
    await deps.webhooks.disable(webhook.id, now.toISOString());
  }
  return isTaken;
}

/** Sends the due events of one webhook in their order, up to the first that fails: a receiver that is down costs one timeout. */
async function sendTo(
  deps: DeliverDeps,
  webhookId: string,
  due: readonly DeliveryRecord[],
  signal?: AbortSignal,
) {
  const webhook = await deps.webhooks.find(webhookId);
  if (!webhook || webhook.disabledAt !== null) return;
  const found = await deps.events.findAll(due.map(({ eventId }) => eventId));
  const byId = new Map(found.map((placed) => [placed.id, placed]));
  for (const delivery of due) {
    const placed = byId.get(delivery.eventId);
    if (signal?.aborted || !placed || !(await send(deps, webhook, delivery, placed))) return;
  }
}

/**
 * Queues new events for webhooks, and sends what is due, to all receivers at the same time. The events are in the audit log: those of a
 * process that died are queued by another. A process that dies after a receiver answered sends the event again, with the same id.
 */
export async function deliverWebhooks(deps: DeliverDeps, signal?: AbortSignal): Promise<void> {
  const last = await deps.events.last();
  for (const webhook of await deps.webhooks.behind(last, BATCH)) {
    if (signal?.aborted) return;
    await queueFor(deps, webhook, last);
  }
  const due = await deps.webhooks.due(deps.clock().toISOString(), BATCH);
  const byWebhook = Map.groupBy(due, ({ webhookId }) => webhookId);
  await Promise.all(Array.from(byWebhook, ([id, deliveries]) => sendTo(deps, id, deliveries, signal)));
}
