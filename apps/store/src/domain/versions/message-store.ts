import type { AuthorRole, ReviewMessage } from '@svc/contracts';
import { type Database, flag } from '../../platform/database/schema.ts';
import type { VersionRef } from './version-store.ts';

/** A stored message, with the recorded name of its author. */
export type StoredMessage = Pick<
  ReviewMessage,
  'number' | 'at' | 'side' | 'role' | 'requestsChanges' | 'text'
> & {
  author: string;
};

/** Stores the messages of moderators and publishers about versions. */
export const createMessageStore = (db: Database) => ({
  async add({ appId, version }: VersionRef, message: StoredMessage): Promise<void> {
    await db
      .insertInto('review_messages')
      .values({
        app_id: appId,
        version,
        number: message.number,
        sent_at: message.at,
        author: message.author,
        side: message.side,
        role: message.role,
        requests_changes: flag(message.requestsChanges),
        text: message.text,
      })
      .execute();
  },
  /** The conversation about a version, oldest first. */
  async of({ appId, version }: VersionRef): Promise<StoredMessage[]> {
    const rows = await db
      .selectFrom('review_messages')
      .selectAll()
      .where('app_id', '=', appId)
      .where('version', '=', version)
      .orderBy('number')
      .execute();
    return rows.map((row) => ({
      number: row.number,
      at: row.sent_at,
      author: row.author,
      side: row.side as StoredMessage['side'],
      role: row.role as AuthorRole,
      requestsChanges: row.requests_changes === 1,
      text: row.text,
    }));
  },
});

export type MessageStore = ReturnType<typeof createMessageStore>;
