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
import { flag } from '../../platform/database/tables/columns.ts';

/** A webhook with its secret. */
export type WebhookRecord = RecordOf<'webhooks'>;

/** What a webhook is created with; its turns begin with its first event. */
export type NewWebhookRecord = Omit<
  WebhookRecord,
  'nextAt' | 'turnUntil' | 'slow' | 'failures' | 'failingSince' | 'pausedAt'
>;

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

/** Literals with the conditions of the partial indexes. */
const IS_WAITING = sql<SqlBool>`state = 'waiting'`;
const HAS_TURN = sql<SqlBool>`next_at is not null`;
const IS_ON = sql<SqlBool>`disabled_at is null and paused_at is null`;

/** How a turn of a webhook ended. */
export type Turn = Pick<WebhookRecord, 'id' | 'slow' | 'failures' | 'failingSince'> & {
  /** It is not tried again before this time. */
  notBefore: string;
};

/**
 * Whether the user who added a webhook may not read its events now: suspended, or no administrator for one of the store. It gets nothing,
 * and later what it missed. The webhooks of a user who left stay, like tokens.
 */
const IS_HELD = sql<SqlBool>`exists (select 1 from people where people.id = webhooks.made_by
  and (people.suspended = 1 or (webhooks.publisher is null and people.role <> 'administrator')))`;

/** Stores webhooks, and the queue and the log of their deliveries. */
export const createWebhookStore = (db: Database) => {
  const at = ({ webhookId, eventId }: Pick<DeliveryRecord, 'webhookId' | 'eventId'>) =>
    db.updateTable('webhook_deliveries').where('webhook_id', '=', webhookId).where('event_id', '=', eventId);
  const removeWhere = async (column: 'id' | 'made_by' | 'publisher', value: string): Promise<number> => {
    const ids = db.selectFrom('webhooks').select('id').where(column, '=', value);
    await db.deleteFrom('webhook_deliveries').where('webhook_id', 'in', ids).execute();
    return countChanged(db.deleteFrom('webhooks').where(column, '=', value));
  };
  return {
    async add({ types, ...record }: NewWebhookRecord): Promise<void> {
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
    /** Some active webhooks for which events up to one are not queued yet, those that are furthest behind first. @param slow as in `due` */
    behind: (slow: boolean, event: number, limit: number): Promise<WebhookRecord[]> =>
      allOf(
        db
          .selectFrom('webhooks')
          .selectAll()
          .where(IS_ON)
          .where((webhook) => webhook.not(IS_HELD))
          .where('slow', '=', flag(slow))
          .where('after_event', '<', event)
          .orderBy('after_event')
          .limit(limit),
        webhookOf,
      ),
    /** Queues events, up to one, for the next turn; false when another process queued them. Run it in a transaction. */
    async queue(
      { id, afterEvent }: Pick<WebhookRecord, 'id' | 'afterEvent'>,
      eventIds: readonly number[],
      upTo: number,
      now: string,
    ): Promise<boolean> {
      const move = db.updateTable('webhooks').set({ after_event: upTo }).where('id', '=', id);
      if (!(await hasChanged(move.where('after_event', '=', afterEvent)))) return false;
      const fresh = { state: 'waiting', tries: 0, created_at: now, next_try_at: now };
      if (eventIds.length === 0) return true;
      await insertMissing(
        db
          .insertInto('webhook_deliveries')
          .values(eventIds.map((event_id) => ({ webhook_id: id, event_id, ...fresh }))),
      );
      // A receiver that fails has its time; a turn that runs sees them at its end.
      await run(
        db
          .updateTable('webhooks')
          .set({ next_at: now })
          .where('id', '=', id)
          .where(IS_ON)
          .where('turn_until', 'is', null)
          .where((webhook) => webhook.or([webhook('next_at', 'is', null), webhook('failures', '=', 0)])),
      );
      return true;
    },
    /** Webhooks whose turn it is, the longest waiting first. @param slow those that answered late or not at all the last time, or the others */
    due: (slow: boolean, now: string, limit: number): Promise<WebhookRecord[]> =>
      allOf(
        db
          .selectFrom('webhooks')
          .selectAll()
          .where(HAS_TURN)
          .where('slow', '=', flag(slow))
          .where((webhook) => webhook.not(IS_HELD))
          .where(isInactiveAt('webhooks.next_at', now))
          .orderBy('next_at')
          .orderBy('id')
          .limit(limit),
        webhookOf,
      ),
    /** Begins a turn; false when another process has. @param until when another process takes it over, if this one dies */
    beginTurn: ({ id, nextAt }: Pick<WebhookRecord, 'id' | 'nextAt'>, until: string): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('webhooks')
          .set({ next_at: until, turn_until: until })
          .where('id', '=', id)
          .where('next_at', '=', nextAt)
          .where(IS_ON),
      ),
    /** Ends a turn, and sets the next one where something waits. Run it in a transaction: an event may be queued meanwhile. */
    async endTurn({ id, slow, failures, failingSince, notBefore }: Turn): Promise<void> {
      const waiting = db
        .selectFrom('webhook_deliveries')
        .select('next_try_at')
        .where('webhook_id', '=', id)
        .where(IS_WAITING)
        .orderBy('next_try_at')
        .limit(1);
      const first = (await waiting.executeTakeFirst())?.next_try_at ?? null;
      // Of a receiver that fails, a later event may have to be tried before the one that failed.
      const next_at = first === null || (failures === 0 && first > notBefore) ? first : notBefore;
      const state = { slow, failures, failing_since: failingSince };
      await run(
        db
          .updateTable('webhooks')
          .set({ ...state, next_at, turn_until: null })
          .where('id', '=', id)
          .where(IS_ON),
      );
    },
    /** The deliveries of a webhook that are due, in the order of their events. */
    dueOf: (webhookId: string, now: string, limit: number): Promise<DeliveryRecord[]> =>
      allOf(
        db
          .selectFrom('webhook_deliveries')
          .selectAll()
          .where('webhook_id', '=', webhookId)
          .where(IS_WAITING)
          .where(isInactiveAt('webhook_deliveries.next_try_at', now))
          .orderBy('next_try_at')
          .orderBy('event_id')
          .limit(limit),
        deliveryOf,
      ),
    /**
     * Pauses a webhook whose receiver stays down, with what it still has to get: that is queued again after `resume`. Run it in a
     * transaction. @returns false when it was paused, ended or removed already
     */
    async pause(id: string, now: string): Promise<boolean> {
      const mine = db.updateTable('webhooks').where('id', '=', id);
      const isPaused = await hasChanged(
        mine.set({ paused_at: now, next_at: null, turn_until: null }).where(IS_ON),
      );
      if (!isPaused) return false;
      const { first } = await db
        .selectFrom('webhook_deliveries')
        .select(({ fn }) => fn.min('event_id').as('first'))
        .where('webhook_id', '=', id)
        .where(IS_WAITING)
        .executeTakeFirstOrThrow();
      await run(db.deleteFrom('webhook_deliveries').where('webhook_id', '=', id).where(IS_WAITING));
      if (first !== null)
        await run(mine.set({ after_event: Number(first) - 1 }).where('after_event', '>=', Number(first)));
      return true;
    },
    /** Ends a pause. @returns false when it is not paused */
    resume: (id: string): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('webhooks')
          .set({ paused_at: null, slow: 1, failures: 0, failing_since: null })
          .where('id', '=', id)
          .where('paused_at', 'is not', null),
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
    async again(webhookId: string, eventId: number, now: string): Promise<DeliveryRecord | null> {
      const again = at({ webhookId, eventId }).set({ state: 'waiting', tries: 0, next_try_at: now });
      const delivery = await firstOf(again.returningAll(), deliveryOf);
      const mine = db.updateTable('webhooks').where('id', '=', webhookId).where(IS_ON);
      if (delivery) await run(mine.set({ next_at: now }).where('turn_until', 'is', null));
      return delivery;
    },
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
      await db
        .updateTable('webhooks')
        .set({ disabled_at: now, next_at: null, turn_until: null })
        .where('id', '=', id)
        .execute();
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
    /** Deletes the webhooks of a publisher. */
    async removeOf(publisher: string): Promise<void> {
      await removeWhere('publisher', publisher);
    },
    /** Removes every webhook that a user added. @returns how many there were */
    removeMadeBy: (personId: string): Promise<number> => removeWhere('made_by', personId),
    /** Deletes deliveries that were queued before a time. */
    purgeBefore: (time: string): Promise<void> =>
      run(db.deleteFrom('webhook_deliveries').where('created_at', '<', time)),
  };
};

export type WebhookStore = ReturnType<typeof createWebhookStore>;
