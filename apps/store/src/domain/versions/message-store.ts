import type { ReviewMessage } from '@svc/contracts';
import { allOf } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import { flag } from '../../platform/database/tables/columns.ts';
import type { VersionRef } from './version-record.ts';

/** A stored message, with the recorded name of its author. */
export type StoredMessage = Pick<
  ReviewMessage,
  'number' | 'at' | 'side' | 'role' | 'requestsChanges' | 'text'
> & {
  author: string;
};

/** Stores the messages of moderators and publishers about versions. */
export const createMessageStore = (db: Database) => ({
  async add(
    { appId, version }: VersionRef,
    { at, requestsChanges, ...message }: StoredMessage,
  ): Promise<void> {
    await db
      .insertInto('review_messages')
      .values({
        ...{ app_id: appId, version, sent_at: at, requests_changes: flag(requestsChanges) },
        ...message,
      })
      .execute();
  },
  /** The conversation about a version, oldest first. */
  of: ({ appId, version }: VersionRef): Promise<StoredMessage[]> =>
    allOf(
      db
        .selectFrom('review_messages')
        .selectAll()
        .where('app_id', '=', appId)
        .where('version', '=', version)
        .orderBy('number'),
      ({ app_id: _app, version: _version, sent_at: at, requests_changes, ...message }) => ({
        ...message,
        at,
        requestsChanges: requests_changes === 1,
      }),
    ),
});
