import type { WebhookDelivery } from '@svc/contracts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import {
  allOf,
  countChanged,
  firstOf,
  hasChanged,
  insertMissing,
  isInactiveAt,
  run,
} from '../../platform/database/queries.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';

/** A webhook with its secret. */
export type WebhookRecord = RecordOf<'webhooks'>;

/** A queued event of a webhook. */
export type DeliveryRecord = Omit<WebhookDelivery, 'event'> & { webhookId: string; eventId: number };

const webhookOf = (row: Selectable<Tables['webhooks']>): WebhookRecord => ({
  ...fieldsOf(row),
  afterEvent: Number(row.after_event),
});

const deliveryOf = (row: Selectable<Tables['webhook_deliveries']>): DeliveryRecord => ({
  webhookId: row.webhook_id,
  eventId: Number(row.event_id),
  state: row.state as DeliveryRecord['state'],
  tries: row.tries,
  triedAt: row.tried_at,
  nextTryAt: row.state === 'waiting' ? row.next_try_at : null,
  status: row.status,
  fault: row.fault,
});

/** A literal with the condition of the partial index. */
const IS_WAITING = sql<SqlBool>`state = 'waiting'`;

/**
 * Whether the user who added a webhook may not read its events now: suspended, or no administrator for one of the store. It gets nothing,
 * and later what it missed. The webhooks of a user who left stay, like tokens.
 */
const IS_PAUSED = sql<SqlBool>`exists (select 1 from people where people.id = webhooks.made_by
  and (people.suspended = 1 or (webhooks.publisher is null and people.role <> 'administrator')))`;

/** Stores webhooks, and the queue and the log of their deliveries. */
export const createWebhookStore = (db: Database) => {
  const at = ({ webhookId, eventId }: Pick<DeliveryRecord, 'webhookId' | 'eventId'>) =>
    db.updateTable('webhook_deliveries').where('webhook_id', '=', webhookId).where('event_id', '=', eventId);
  const removeWhere = async (column: 'id' | 'made_by', value: string): Promise<number> => {
    const ids = db.selectFrom('webhooks').select('id').where(column, '=', value);
    await db.deleteFrom('webhook_deliveries').where('webhook_id', 'in', ids).execute();
    return countChanged(db.deleteFrom('webhooks').where(column, '=', value));
  };
  return {
    async add({ types, ...record }: WebhookRecord): Promise<void> {
      await db
        .insertInto('webhooks')
        .values({ ...columnsOf(record), types_json: types && JSON.stringify(types) })
        .execute();
    },
    find: (id: string): Promise<WebhookRecord | null> =>
      firstOf(db.selectFrom('webhooks').selectAll().where('id', '=', id), webhookOf),
    /** The webhooks of a publisher, or of the store with null, the oldest first. */
    of: (publisher: string | null): Promise<WebhookRecord[]> =>
      allOf(
        db
          .selectFrom('webhooks')
          .selectAll()
          .where('publisher', publisher === null ? 'is' : '=', publisher)
          .orderBy('created_at')
          .orderBy('id'),
        webhookOf,
      ),
    /** Some active webhooks for which events up to one are not queued yet. */
    behind: (event: number, limit: number): Promise<WebhookRecord[]> =>
      allOf(
        db
          .selectFrom('webhooks')
          .selectAll()
          .where(sql<SqlBool>`disabled_at is null`)
          .where((webhook) => webhook.not(IS_PAUSED))
          .where('after_event', '<', event)
          .orderBy('after_event')
          .limit(limit),
        webhookOf,
      ),
    /** Queues events, up to one; false when another process queued them. Run it in a transaction. */
    async queue(
      { id, afterEvent }: WebhookRecord,
      eventIds: readonly number[],
      upTo: number,
      now: string,
    ): Promise<boolean> {
      const move = db.updateTable('webhooks').set({ after_event: upTo }).where('id', '=', id);
      if (!(await hasChanged(move.where('after_event', '=', afterEvent)))) return false;
      const fresh = { state: 'waiting', tries: 0, created_at: now, next_try_at: now };
      if (eventIds.length > 0)
        await insertMissing(
          db
            .insertInto('webhook_deliveries')
            .values(eventIds.map((event_id) => ({ webhook_id: id, event_id, ...fresh }))),
        );
      return true;
    },
    /** Deliveries that are due, the longest waiting first. */
    due: (now: string, limit: number): Promise<DeliveryRecord[]> =>
      allOf(
        db
          .selectFrom('webhook_deliveries')
          .innerJoin('webhooks', 'webhooks.id', 'webhook_id')
          .selectAll('webhook_deliveries')
          .where(IS_WAITING)
          .where((webhook) => webhook.not(IS_PAUSED))
          .where(isInactiveAt('webhook_deliveries.next_try_at', now))
          .orderBy('next_try_at')
          .orderBy('webhook_id')
          .orderBy('event_id')
          .limit(limit),
        deliveryOf,
      ),
    /** Claims a delivery and counts a try, until other processes may try again; false when another process has claimed it. */
    claim: (delivery: DeliveryRecord, now: string, until: string): Promise<boolean> =>
      hasChanged(
        at(delivery)
          .set({ tries: delivery.tries + 1, tried_at: now, next_try_at: until })
          .where(IS_WAITING)
          .where('tries', '=', delivery.tries),
      ),
    async ended(
      delivery: DeliveryRecord,
      { state, nextTryAt, status, fault }: Pick<DeliveryRecord, 'state' | 'nextTryAt' | 'status' | 'fault'>,
    ): Promise<void> {
      await at(delivery).set({ state, next_try_at: nextTryAt, status, fault }).execute();
    },
    /** Queues a delivery again; null when there is none. */
    again: (webhookId: string, eventId: number, now: string): Promise<DeliveryRecord | null> =>
      firstOf(
        at({ webhookId, eventId }).set({ state: 'waiting', tries: 0, next_try_at: now }).returningAll(),
        deliveryOf,
      ),
    /** The latest deliveries of a webhook, newest event first. */
    deliveries: (webhookId: string, limit: number): Promise<DeliveryRecord[]> =>
      allOf(
        db
          .selectFrom('webhook_deliveries')
          .selectAll()
          .where('webhook_id', '=', webhookId)
          .orderBy('event_id', 'desc')
          .limit(limit),
        deliveryOf,
      ),
    /** Ends a webhook whose receiver is gone, with what it still had to get. */
    async disable(id: string, now: string): Promise<void> {
      await db.updateTable('webhooks').set({ disabled_at: now }).where('id', '=', id).execute();
      await db
        .updateTable('webhook_deliveries')
        .set({ state: 'failed', next_try_at: null })
        .where('webhook_id', '=', id)
        .where('state', '=', 'waiting')
        .execute();
    },
    async remove(id: string): Promise<void> {
      await removeWhere('id', id);
    },
    /** Removes every webhook that a user added. @returns how many there were */
    removeMadeBy: (personId: string): Promise<number> => removeWhere('made_by', personId),
    /** Deletes deliveries that were queued before a time. */
    purgeBefore: (time: string): Promise<void> =>
      run(db.deleteFrom('webhook_deliveries').where('created_at', '<', time)),
  };
};

export type WebhookStore = ReturnType<typeof createWebhookStore>;
