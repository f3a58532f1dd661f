import type { Selectable } from 'kysely';
import type { MailContent, MailStore, OutgoingMail } from '../../domain/mail/mail-store.ts';
import { freeAt } from './holds.ts';
import type { Database, Tables } from './schema.ts';

const mailOf = (row: Selectable<Tables['mails']>): OutgoingMail => ({
  ...({ kind: row.kind, detail: JSON.parse(row.detail_json) } as MailContent),
  id: row.id,
  recipient: row.recipient,
  createdAt: row.created_at,
  nextTryAt: row.next_try_at,
  tries: row.tries,
});

/** Mail on its way, in the database. */
export function createMailStore(db: Database): MailStore {
  return {
    async add({ id, recipient, kind, detail, createdAt, nextTryAt, tries }) {
      await db
        .insertInto('mails')
        .values({
          id,
          recipient,
          kind,
          detail_json: JSON.stringify(detail),
          created_at: createdAt,
          next_try_at: nextTryAt,
          tries,
        })
        .execute();
    },
    async due(now, limit) {
      const rows = await db
        .selectFrom('mails')
        .selectAll()
        .where(freeAt('mails.next_try_at', now))
        .orderBy('next_try_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(mailOf);
    },
    async claim({ id, tries }, until) {
      const claimed = await db
        .updateTable('mails')
        .set({ tries: tries + 1, next_try_at: until })
        .where('id', '=', id)
        .where('tries', '=', tries)
        .returning('id')
        .executeTakeFirst();
      return claimed !== undefined;
    },
    async putOff(id, until) {
      await db.updateTable('mails').set({ next_try_at: until }).where('id', '=', id).execute();
    },
    async remove(id) {
      await db.deleteFrom('mails').where('id', '=', id).execute();
    },
  };
}
