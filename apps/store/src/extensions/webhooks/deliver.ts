import { createHmac, type KeyObject, sign } from 'node:crypto';
import type { SigningKey } from '@svc/signing';
import { type AuditLog, systemActor } from '../../core/domain/audit/audit-log.ts';
import {
  type NotifyStores,
  notifyMembers,
  notifyRole,
  type PostDeps,
} from '../../core/domain/mail/post-mail.ts';
import type { Sites } from '../../core/publishers/site.ts';
import { flag } from '../../platform/database/tables/columns.ts';
import type { Clock, Log, UnitOfWork } from '../../platform/system.ts';
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

/** The lease of a process on a webhook and on a delivery: longer than a turn and the timeout of a receiver together. */
const LEASE_MS = MINUTE_MS;
/** Events that are queued for a webhook at once, and webhooks that are looked at. */
const BATCH = 100;

/** A turn of a webhook ends after these events, and begins no further one after this time, in milliseconds: then others have theirs. */
const TURN = { events: 20, ms: 20_000 };

/** An answer that takes longer makes its webhook a slow one, in milliseconds. */
const SLOW_MS = 2_000;

/**
 * Webhooks to which this process sends at the same time. Those that answered late or not at all the last time, and new ones, have places
 * of their own: a receiver that answers waits for no other. A turn that takes longer than `SLOW_MS` leaves the places of the fast ones.
 */
const PLACES = { fast: 48, slow: 48 };

/** A receiver that has not answered once for so long is paused, in milliseconds: before any event is given up. */
const PAUSED_AFTER_MS = 12 * HOUR_MS;

/** The maximum pause of a webhook between two tries, as long as other events wait. */
const MAX_PAUSE_MS = 30 * MINUTE_MS;

/** RFC 9110 section 15.5.11. */
const GONE = 410;

type DeliverStores = NotifyStores & { webhooks: WebhookStore; audit: AuditLog };

export type DeliverDeps = PostDeps & {
  webhooks: WebhookStore;
  events: EventStore;
  unitOfWork: UnitOfWork<DeliverStores>;
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

/** Sends an event to its receiver. @returns whether it took it, or null when another process has sent it */
async function send(
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: DeliveryRecord,
  { event }: PlacedEvent,
): Promise<boolean | null> {
  const now = deps.clock();
  const later = (ms: number) => new Date(now.getTime() + ms).toISOString();
  if (!(await deps.webhooks.claim(delivery, now.toISOString(), later(LEASE_MS)))) return null;
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

/** Sends the due events of a webhook in their order, up to the first that fails. @returns whether the last one was taken; null without any */
async function sendDue(
  deps: DeliverDeps,
  webhook: WebhookRecord,
  { started, signal }: { started: number; signal: AbortSignal | undefined },
): Promise<boolean | null> {
  const due = await deps.webhooks.dueOf(webhook.id, deps.clock().toISOString(), TURN.events);
  const found = await deps.events.findAll(due.map(({ eventId }) => eventId));
  const byId = new Map(found.map((placed) => [placed.id, placed]));
  let isTaken: boolean | null = null;
  for (const delivery of due) {
    const placed = byId.get(delivery.eventId);
    if (signal?.aborted || !placed || performance.now() - started > TURN.ms) break;
    isTaken = (await send(deps, webhook, delivery, placed)) ?? isTaken;
    if (isTaken === false) break;
  }
  return isTaken;
}

/** Pauses a webhook whose receiver stays down, and tells its owners, or the administrators. */
async function pauseDown(deps: DeliverDeps, { id, publisher, url }: WebhookRecord, since: string) {
  const at = deps.clock().toISOString();
  const { host } = new URL(url);
  await deps.unitOfWork(async (stores) => {
    if (!(await stores.webhooks.pause(id, at))) return;
    const of = publisher === null ? {} : { publisher };
    await stores.audit.add(systemActor('store'), at, { action: 'webhook.pause', ...of, detail: { host } });
    const mail = { kind: 'webhook-paused', detail: { publisher, host, since } } as const;
    if (publisher === null) await notifyRole(deps, stores, 'administrator', mail);
    else await notifyMembers(deps, stores, publisher, mail, 'owner');
  });
}

/** One turn of a webhook, which this process holds. */
async function takeTurn(deps: DeliverDeps, webhook: WebhookRecord, signal?: AbortSignal): Promise<void> {
  const started = performance.now();
  const isTaken = await sendDue(deps, webhook, { started, signal });
  const now = deps.clock();
  const isFailed = isTaken === false;
  const failures = isTaken === null ? webhook.failures : isFailed ? webhook.failures + 1 : 0;
  const failingSince = isFailed
    ? (webhook.failingSince ?? now.toISOString())
    : failures === 0
      ? null
      : webhook.failingSince;
  if (failingSince !== null && now.getTime() - Date.parse(failingSince) >= PAUSED_AFTER_MS)
    return pauseDown(deps, webhook, failingSince);
  const pause = failures > 0 ? Math.min(PAUSES_MS[failures - 1] ?? MAX_PAUSE_MS, MAX_PAUSE_MS) : 0;
  const slow = isTaken === null ? webhook.slow : flag(isFailed || performance.now() - started > SLOW_MS);
  const notBefore = new Date(now.getTime() + pause).toISOString();
  await deps.unitOfWork(({ webhooks }) =>
    webhooks.endTurn({ id: webhook.id, slow, failures, failingSince, notBefore }),
  );
}

type Running = { slow: boolean; started: number; done: Promise<void> };

/**
 * Creates what sends events to webhooks. The events are in the audit log: those of a process that died are queued by another. Each webhook has
 * turns of its own, at most one at a time in all processes, and waits for no other. A process that dies after a receiver answered sends the event
 * again, with the same id.
 */
export function createWebhookSender(deps: DeliverDeps) {
  const running = new Map<string, Running>();

  /** The free places for webhooks of a kind. */
  function placesFor(slow: boolean): number {
    const now = performance.now();
    const isSlow = (one: Running) => one.slow || now - one.started > SLOW_MS;
    const taken = [...running.values()].filter((one) => isSlow(one) === slow).length;
    return Math.max(0, (slow ? PLACES.slow : PLACES.fast) - taken);
  }

  async function beginTurns(slow: boolean, signal?: AbortSignal): Promise<void> {
    const now = deps.clock();
    const until = new Date(now.getTime() + LEASE_MS).toISOString();
    for (const webhook of await deps.webhooks.due(slow, now.toISOString(), placesFor(slow))) {
      if (signal?.aborted) return;
      if (running.has(webhook.id) || !(await deps.webhooks.beginTurn(webhook, until))) continue;
      const turn = takeTurn(deps, webhook, signal).catch((error: unknown) => {
        deps.log.error({ err: error, webhook: webhook.id }, 'A turn of a webhook failed, and is repeated.');
      });
      const done = turn.finally(() => running.delete(webhook.id));
      running.set(webhook.id, { slow, started: performance.now(), done });
    }
  }

  return {
    /** Queues new events, and begins the turns that are due, without waiting for them. */
    async begin(signal?: AbortSignal): Promise<void> {
      const last = await deps.events.last();
      for (const slow of [false, true]) {
        for (const webhook of await deps.webhooks.behind(slow, last, BATCH)) {
          if (signal?.aborted) return;
          await queueFor(deps, webhook, last);
        }
        await beginTurns(slow, signal);
      }
    },
    /** Waits for the turns that run. */
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}
