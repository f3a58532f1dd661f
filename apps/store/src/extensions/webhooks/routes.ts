import {
  type FreshWebhook,
  LIMITS,
  type NewWebhook,
  type StoreEvents,
  type Webhook,
  type WebhookDelivery,
} from '@svc/contracts';
import type { HandlersOf } from '../../core/access/extension.ts';
import type { AuditLog } from '../../core/domain/audit/audit-log.ts';
import { type PersonCaller, requireOwner, requireRole } from '../../core/domain/identity/caller.ts';
import { requireUnsuspended, type SuspensionStores } from '../../core/domain/identity/suspension.ts';
import type { NotifyStores, PostDeps } from '../../core/domain/mail/post-mail.ts';
import { recordPublisherChange } from '../../core/domain/mail/record-publisher-change.ts';
import { ApiError, invalidField } from '../../platform/api-error.ts';
import type { Database } from '../../platform/database/schema.ts';
import type { RandomBytes, UnitOfWork } from '../../platform/system.ts';
import { type DeliverDeps, secretText } from './deliver.ts';
import type { EventStore } from './event-store.ts';
import type { DeliveryRecord, NewWebhookRecord, WebhookRecord, WebhookStore } from './webhook-store.ts';

/** The stores of the core that webhooks use, in one transaction. */
export type CoreStores = SuspensionStores & NotifyStores & { db: Database; audit: AuditLog };

type Stores = CoreStores & { webhooks: WebhookStore; events: EventStore };

export type WebhookDeps = Pick<DeliverDeps, 'webhooks' | 'events'> &
  PostDeps & {
    unitOfWork: UnitOfWork<Stores>;
    publicKey: { publicKeyPem: string };
    random: RandomBytes;
  };

/** A mirror may ask often: an answer is a short read of an index. */
const EVENTS = { 'Cache-Control': 'public, max-age=5' };

/** Bytes of a secret (Standard Webhooks: 24 to 64). */
const SECRET_BYTES = 32;
/** The public key in SubjectPublicKeyInfo ends with its 32 bytes (RFC 8410 section 4). */
const KEY_BYTES = 32;

const present = (record: Pick<WebhookRecord, keyof Webhook>): Webhook => {
  const { id, url, types, createdAt, disabledAt, failingSince, pausedAt } = record;
  return { id, url, types, createdAt, disabledAt, failingSince, pausedAt };
};

/** Refuses a caller who is not an owner of the publisher, or for the webhooks of the store no administrator. */
function requireOwnerOf(caller: PersonCaller, publisher: string | null): void {
  if (publisher === null) requireRole(caller, 'admin');
  else requireOwner(caller, publisher);
}

/** Refuses an address that the guarded connections would refuse. */
function requirePlain(url: string): void {
  const { port, username, password, hash, hostname } = new URL(url);
  if (port !== '' || hash !== '' || !hostname.includes('.'))
    throw invalidField('url', 'must be an address of a host on the Internet, without a port and a fragment');
  if (username !== '' || password !== '')
    throw invalidField('url', 'must not contain a user name or a password');
}

async function addWebhook(
  deps: WebhookDeps,
  caller: PersonCaller,
  publisher: string | null,
  { url, types }: NewWebhook,
): Promise<FreshWebhook> {
  requireOwnerOf(caller, publisher);
  requirePlain(url);
  const { unitOfWork, random, newId, clock } = deps;
  return unitOfWork(async (stores) => {
    if (publisher !== null) await requireUnsuspended(stores, 'addWebhook', { publisher });
    const max = LIMITS.events.webhooks;
    if ((await stores.webhooks.of(publisher)).length >= max)
      throw new ApiError(
        'limit_reached',
        `There are already ${max} webhooks, which is the maximum: remove one first.`,
      );
    const createdAt = clock().toISOString();
    const record: NewWebhookRecord = {
      ...{ id: newId(), publisher, url, types: types ?? null, createdAt, disabledAt: null },
      secret: secretText(random(SECRET_BYTES)),
      // It gets what happens from now on; /api/events has the rest.
      afterEvent: await stores.events.last(),
      madeBy: caller.person.id,
    };
    await stores.webhooks.add(record);
    const of = publisher === null ? {} : { publisher };
    const event = { action: 'webhook.add', ...of, detail: { host: new URL(url).host } } as const;
    await recordPublisherChange(deps, stores, caller, createdAt, event);
    return { ...present({ failingSince: null, pausedAt: null, ...record }), secret: record.secret };
  });
}

/** A webhook of which the caller is an owner. Others learn nothing of it. @throws ApiError not_found */
async function requireWebhook({ webhooks }: Pick<Stores, 'webhooks'>, caller: PersonCaller, id: string) {
  const webhook = await webhooks.find(id);
  const isMember = webhook?.publisher === null || caller.memberships.has(webhook?.publisher ?? '');
  if (!webhook || !isMember)
    throw new ApiError('not_found', 'There is no such webhook: it was removed already.');
  requireOwnerOf(caller, webhook.publisher);
  return webhook;
}

function removeWebhook(deps: WebhookDeps, caller: PersonCaller, id: string): Promise<Webhook> {
  return deps.unitOfWork(async (stores) => {
    const webhook = await requireWebhook(stores, caller, id);
    await stores.webhooks.remove(id);
    const of = webhook.publisher === null ? {} : { publisher: webhook.publisher };
    const detail = { host: new URL(webhook.url).host };
    const event = { action: 'webhook.remove', ...of, detail } as const;
    await recordPublisherChange(deps, stores, caller, deps.clock().toISOString(), event);
    return present(webhook);
  });
}

function resumeWebhook(
  { unitOfWork, clock }: WebhookDeps,
  caller: PersonCaller,
  id: string,
): Promise<Webhook> {
  return unitOfWork(async (stores) => {
    const { publisher, url } = await requireWebhook(stores, caller, id);
    if (!(await stores.webhooks.resume(id)))
      throw new ApiError('already_handled', 'This webhook is not paused: reload the page.');
    const of = publisher === null ? {} : { publisher };
    const detail = { host: new URL(url).host };
    await stores.audit.add(caller, clock().toISOString(), { action: 'webhook.resume', ...of, detail });
    return present(await requireWebhook(stores, caller, id));
  });
}

async function withEvents({ events }: Pick<WebhookDeps, 'events'>, records: readonly DeliveryRecord[]) {
  const found = await events.findAll(records.map(({ eventId }) => eventId));
  const byId = new Map(found.map(({ id, event }) => [id, event]));
  return records.flatMap(({ webhookId: _of, eventId, ...delivery }): WebhookDelivery[] => {
    const event = byId.get(eventId);
    return event ? [{ event, ...delivery }] : [];
  });
}

async function redeliver(
  deps: WebhookDeps,
  caller: PersonCaller,
  { id, event }: { id: string; event: string },
): Promise<WebhookDelivery> {
  const record = await deps.unitOfWork(async (stores) => {
    await requireWebhook(stores, caller, id);
    return stores.webhooks.again(id, Number(event), deps.clock().toISOString());
  });
  const [delivery] = record ? await withEvents(deps, [record]) : [];
  if (!delivery) throw new ApiError('not_found', 'This webhook never had an event with this id.');
  return delivery;
}

async function publicEvents({ events }: WebhookDeps, since: number, limit: number): Promise<StoreEvents> {
  const found = await events.publicAfter(since, limit);
  return {
    events: found.map(({ event }) => event) as StoreEvents['events'],
    next: String(found.at(-1)?.id ?? since),
  };
}

/** The routes of events, and of the webhooks of publishers and of the store. */
export function webhookRoutes(deps: WebhookDeps) {
  const der = Buffer.from(deps.publicKey.publicKeyPem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const publicKey = `whpk_${der.subarray(-KEY_BYTES).toString('base64')}`;
  return {
    events: async ({ query }, c) =>
      c.json(await publicEvents(deps, Number(query.since ?? 0), query.limit), 200, EVENTS),
    webhooks: async ({ caller, query: { publisher = null } }) => {
      requireOwnerOf(caller, publisher);
      const webhooks = (await deps.webhooks.of(publisher)).map(present);
      return { webhooks, publicKey };
    },
    addWebhook: ({ caller, query: { publisher = null }, body }) => addWebhook(deps, caller, publisher, body),
    removeWebhook: ({ caller, params }) => removeWebhook(deps, caller, params.id),
    resumeWebhook: ({ caller, params }) => resumeWebhook(deps, caller, params.id),
    webhookDeliveries: async ({ caller, params: { id } }) => {
      await requireWebhook(deps, caller, id);
      const records = await deps.webhooks.deliveries(id, LIMITS.events.deliveries);
      return { deliveries: await withEvents(deps, records) };
    },
    redeliver: ({ caller, params }) => redeliver(deps, caller, params),
  } satisfies HandlersOf<'webhooks'>;
}
