import type { Selectable } from 'kysely';
import { freeAt } from '../../platform/database/holds.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';
/** What a mail is about. There is no secret in it: text and links are made when it is sent. */
export type MailContent =
  | { kind: 'invitation'; detail: { invitation: string } }
  | { kind: 'version-approved'; detail: { publisher: string; appId: string; version: string } }
  | { kind: 'version-rejected'; detail: { publisher: string; appId: string; version: string; note: string } }
  | {
      kind: 'review-message';
      detail: { publisher: string; appId: string; version: string; text: string; requestsChanges: boolean };
    }
  | { kind: 'review-assigned'; detail: { appId: string; version: string } }
  | { kind: 'review-answer'; detail: { appId: string; version: string; text: string } }
  | { kind: 'verification-lost'; detail: { publisher: string; website: string } }
  | { kind: 'name-approved'; detail: { publisher: string; name: string } }
  | { kind: 'name-refused'; detail: { publisher: string; name: string; note: string } }
  | { kind: 'publisher-suspended'; detail: { publisher: string } }
  | { kind: 'password-reset'; detail: { personId: string } }
  | { kind: 'confirm-email'; detail: { personId: string } };

/** A mail on its way. */
export type OutgoingMail = MailContent & {
  id: string;
  recipient: string;
  createdAt: string;
  nextTryAt: string;
  /** How often sending it was begun. */
  tries: number;
};

const mailOf = (row: Selectable<Tables['mails']>): OutgoingMail => ({
  ...({ kind: row.kind, detail: JSON.parse(row.detail_json) } as MailContent),
  id: row.id,
  recipient: row.recipient,
  createdAt: row.created_at,
  nextTryAt: row.next_try_at,
  tries: row.tries,
});

/** Mail on its way, in the database. */
export function createMailStore(db: Database) {
  return {
    async add({ id, recipient, kind, detail, createdAt, nextTryAt, tries }: OutgoingMail): Promise<void> {
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
    /** Mails whose time has come, the longest waiting first. */
    async due(now: string, limit: number): Promise<OutgoingMail[]> {
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
    /**
     * Takes a mail upon oneself and counts a try; false when another process has.
     * @param until when others may try again, unless it is gone by then
     */
    async claim({ id, tries }: Pick<OutgoingMail, 'id' | 'tries'>, until: string): Promise<boolean> {
      const claimed = await db
        .updateTable('mails')
        .set({ tries: tries + 1, next_try_at: until })
        .where('id', '=', id)
        .where('tries', '=', tries)
        .returning('id')
        .executeTakeFirst();
      return claimed !== undefined;
    },
    /** Puts off a mail that is one's own until a time. */
    async putOff(id: string, until: string): Promise<void> {
      await db.updateTable('mails').set({ next_try_at: until }).where('id', '=', id).execute();
    },
    async remove(id: string): Promise<void> {
      await db.deleteFrom('mails').where('id', '=', id).execute();
    },
  };
}

export type MailStore = ReturnType<typeof createMailStore>;
