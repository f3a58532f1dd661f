import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { TEMPORARY } from '../wire/limits.ts';
import { createAllowances } from './allowances.ts';
import { createAttachments } from './attachments.ts';
import { createConversations } from './chat-database.ts';
import { createChatList } from './chat-list.ts';
import { openChatDatabase, openTemporaryDatabase } from './chat-schema.ts';
import { createDrafts } from './drafts.ts';

/** Largest total size of the files of temporary conversations, in bytes. */
const MAX_TEMPORARY_FILES = 256 * 1024 * 1024;

const storeOf = (database: DatabaseSync, newId: () => string, now: () => Date, maxFiles?: number) => ({
  database,
  newId,
  conversations: createConversations(database, now),
  attachments: createAttachments(database, newId, maxFiles),
  allowances: createAllowances(database, now),
  drafts: createDrafts(database, now),
  list: createChatList(database),
});

/** The conversations of one database, and what belongs to them. */
export type ChatStore = ReturnType<typeof storeOf>;

/** Opens the conversations of a folder, and those that are only in memory. @throws if the folder's cannot be read */
export function openStores(folder: string, newId: () => string, now: () => Date) {
  const stored = storeOf(openChatDatabase(join(folder, 'chats.sqlite')), newId, now);
  const temporary = storeOf(
    openTemporaryDatabase(),
    () => `${TEMPORARY}${newId()}`,
    now,
    MAX_TEMPORARY_FILES,
  );
  return {
    stored,
    temporary,
    /** Where a conversation or a file is. */
    of: (id: string): ChatStore => (isTemporary(id) ? temporary : stored),
    close(): void {
      temporary.database.close();
      stored.database.close();
    },
  };
}

export type ChatStores = ReturnType<typeof openStores>;

/** Whether a conversation or a file is only in memory. */
export const isTemporary = (id: string): boolean => id.startsWith(TEMPORARY);
