import type { Selectable } from 'kysely';
import type { DeviceRecord, DeviceState, DeviceStore } from '../../domain/identity/device-store.ts';
import { holdsAt } from './holds.ts';
import type { Database, Tables } from './schema.ts';

/** A row as the domain knows it. */
const deviceOf = (row: Selectable<Tables['device_codes']>): DeviceRecord => ({
  deviceHash: row.device_hash,
  userCodeSeal: row.user_code_seal,
  client: row.client,
  address: row.address,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  asked: JSON.parse(row.asked_json),
  state: row.state as DeviceState,
});

/** Device sign-ins, in the database. Each move names the state it begins in, so that of two at once one is made. */
export function createDeviceStore(db: Database): DeviceStore {
  const liveAt = (now: string) =>
    db.selectFrom('device_codes').where(holdsAt('device_codes.expires_at', now));
  const move = (userCodeSeal: string, now: string, to: Partial<Tables['device_codes']>) =>
    db
      .updateTable('device_codes')
      .set(to)
      .where('user_code_seal', '=', userCodeSeal)
      .where('state', '=', 'pending')
      .where(holdsAt('device_codes.expires_at', now))
      .executeTakeFirst();
  return {
    async add(device) {
      const made = await db
        .insertInto('device_codes')
        .values({
          device_hash: device.deviceHash,
          user_code_seal: device.userCodeSeal,
          client: device.client,
          address: device.address,
          created_at: device.createdAt,
          expires_at: device.expiresAt,
          state: device.state,
          person_id: null,
          asked_json: JSON.stringify(device.asked),
          grant_json: null,
          polled_at: null,
        })
        .onConflict((conflict) => conflict.column('user_code_seal').doNothing())
        .returning('device_hash')
        .executeTakeFirst();
      return made !== undefined;
    },
    async countLive(now) {
      const { count } = await liveAt(now)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
    async findByDevice(deviceHash, now) {
      const row = await liveAt(now).selectAll().where('device_hash', '=', deviceHash).executeTakeFirst();
      return row ? deviceOf(row) : null;
    },
    async findByUserCode(userCodeSeal, now) {
      const row = await liveAt(now).selectAll().where('user_code_seal', '=', userCodeSeal).executeTakeFirst();
      return row ? deviceOf(row) : null;
    },
    async poll(deviceHash, at, since) {
      const polled = await db
        .updateTable('device_codes')
        .set({ polled_at: at })
        .where('device_hash', '=', deviceHash)
        // A poll of a time to come was noted by a clock that was ahead.
        .where((device) =>
          device.or([
            device('polled_at', 'is', null),
            device('polled_at', '<=', since),
            device('polled_at', '>', at),
          ]),
        )
        .executeTakeFirst();
      return polled.numUpdatedRows > 0n;
    },
    async approve(userCodeSeal, { personId, grant }, now) {
      const grant_json = JSON.stringify(grant);
      const moved = await move(userCodeSeal, now, { state: 'approved', person_id: personId, grant_json });
      return moved.numUpdatedRows > 0n;
    },
    async deny(userCodeSeal, personId, now) {
      const moved = await move(userCodeSeal, now, { state: 'denied', person_id: personId });
      return moved.numUpdatedRows > 0n;
    },
    async countApproved(personId, now) {
      const { count } = await liveAt(now)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('person_id', '=', personId)
        .where('state', '=', 'approved')
        .executeTakeFirstOrThrow();
      return count;
    },
    async takeApproved(deviceHash, now) {
      const row = await db
        .deleteFrom('device_codes')
        .where('device_hash', '=', deviceHash)
        .where('state', '=', 'approved')
        .where(holdsAt('device_codes.expires_at', now))
        .returning(['client', 'person_id', 'grant_json'])
        .executeTakeFirst();
      if (row?.grant_json == null || row.person_id === null) return null;
      return { client: row.client, personId: row.person_id, grant: JSON.parse(row.grant_json) };
    },
    async forgetExpired(at) {
      await db.deleteFrom('device_codes').where('expires_at', '<=', at).execute();
    },
  };
}
