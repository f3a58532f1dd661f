import type { Selectable, Updateable } from 'kysely';
import { columnsOf, fieldsOf, type RecordOf } from '../../../platform/database/fields.ts';
import {
  countChanged,
  countRows,
  firstOf,
  hasChanged,
  hasRow,
  isActiveAt,
  run,
} from '../../../platform/database/queries.ts';
import type { Database, Tables } from '../../../platform/database/schema.ts';

/** A device sign-in in progress. It is deleted when the device code is exchanged for a token. */
export type DeviceRecord = Omit<RecordOf<'device_codes'>, 'personId' | 'grant' | 'polledAt'>;

/** The scopes and the publisher that a device requests. */
export type DeviceAsked = DeviceRecord['asked'];

/** The scopes and the publisher that a user grants; null for all publishers that they act for. */
export type DeviceGrant = DeviceAsked;

/** An approved sign-in, ready to be exchanged for a token. */
export type ApprovedDevice = { client: string; personId: string; grant: DeviceGrant };

/** Converts a row. */
function deviceOf(row: Selectable<Tables['device_codes']>): DeviceRecord {
  const { personId: _by, grant: _granted, polledAt: _last, ...device } = fieldsOf(row);
  return device;
}

/** Stores device sign-ins. Each transition names the state that it begins in, so that of two concurrent ones only one succeeds. */
export function createDeviceStore(db: Database) {
  const liveAt = (now: string) =>
    db.selectFrom('device_codes').where(isActiveAt('device_codes.expires_at', now));
  const move = (userCodeSeal: string, now: string, to: Updateable<Tables['device_codes']>) =>
    db
      .updateTable('device_codes')
      .set(to)
      .where('user_code_seal', '=', userCodeSeal)
      .where('state', '=', 'pending')
      .where(isActiveAt('device_codes.expires_at', now));
  return {
    /** Adds a sign-in; false when another has its user code. */
    add: ({ asked, ...device }: DeviceRecord): Promise<boolean> =>
      hasRow(
        db
          .insertInto('device_codes')
          .values({ ...columnsOf(device), asked_json: JSON.stringify(asked) })
          .onConflict((conflict) => conflict.column('user_code_seal').doNothing())
          .returning('device_hash'),
      ),
    countLive: (now: string): Promise<number> => countRows(liveAt(now)),
    /** Ends the oldest pending sign-in. */
    async removeOldestPending(): Promise<void> {
      const oldest = db.selectFrom('device_codes').select('device_hash').where('state', '=', 'pending');
      await db
        .deleteFrom('device_codes')
        .where('device_hash', 'in', oldest.orderBy('expires_at').limit(1))
        .execute();
    },
    findByDevice: (deviceHash: string, now: string): Promise<DeviceRecord | null> =>
      firstOf(liveAt(now).selectAll().where('device_hash', '=', deviceHash), deviceOf),
    findByUserCode: (userCodeSeal: string, now: string): Promise<DeviceRecord | null> =>
      firstOf(liveAt(now).selectAll().where('user_code_seal', '=', userCodeSeal), deviceOf),
    /** Records a poll; false when there was one after `since`. */
    poll: (deviceHash: string, at: string, since: string): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('device_codes')
          .set({ polled_at: at })
          .where('device_hash', '=', deviceHash)
          // A poll in the future was recorded by a clock that was ahead.
          .where((device) =>
            device.or([
              device('polled_at', 'is', null),
              device('polled_at', '<=', since),
              device('polled_at', '>', at),
            ]),
          ),
      ),
    /** Approves a pending sign-in; false when it is no longer pending. */
    async approve(
      userCodeSeal: string,
      { personId, grant }: { personId: string; grant: DeviceGrant },
      now: string,
    ): Promise<boolean> {
      const grant_json = JSON.stringify(grant);
      return hasChanged(move(userCodeSeal, now, { state: 'approved', person_id: personId, grant_json }));
    },
    /** Denies a pending sign-in; false when it is no longer pending. */
    deny: (userCodeSeal: string, personId: string, now: string): Promise<boolean> =>
      hasChanged(move(userCodeSeal, now, { state: 'denied', person_id: personId })),
    /** Counts the sign-ins of a user that are approved and not yet exchanged. */
    countApproved: (personId: string, now: string): Promise<number> =>
      countRows(liveAt(now).where('person_id', '=', personId).where('state', '=', 'approved')),
    /** Returns and deletes an approved sign-in; null when there is none, or it is not approved. */
    async takeApproved(deviceHash: string, now: string): Promise<ApprovedDevice | null> {
      const row = await db
        .deleteFrom('device_codes')
        .where('device_hash', '=', deviceHash)
        .where('state', '=', 'approved')
        .where(isActiveAt('device_codes.expires_at', now))
        .returning(['client', 'person_id', 'grant_json'])
        .executeTakeFirst();
      if (row?.grant_json == null || row.person_id === null) return null;
      return { client: row.client, personId: row.person_id, grant: JSON.parse(row.grant_json) };
    },
    /** Deletes the sign-ins that a user approved or denied. @returns how many there were */
    removeAllOf: (personId: string): Promise<number> =>
      countChanged(db.deleteFrom('device_codes').where('person_id', '=', personId)),
    /** Deletes those that had expired at a time. */
    purgeExpired: (at: string): Promise<void> =>
      run(db.deleteFrom('device_codes').where('expires_at', '<=', at)),
  };
}

export type DeviceStore = ReturnType<typeof createDeviceStore>;
