import type { DatabaseSync } from 'node:sqlite';
import type { ChatMatch, ChatPart } from '../wire/chat.ts';
import { type Chat, type ChatRow, chatOf } from './chat-database.ts';

/** What `chats.list` lists: of a project, from the newest; all that match where there is a search. */
export type ListQuery = { project: string; q?: string; archived?: boolean; limit?: number };

/** Conversations of one page of the list. */
const LISTED = 100;

/** Text before and after the words that a search found, in UTF-16 units. */
const AROUND = 50;

/** Upper and lower case, and forms of one character, are the same to a search. */
const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Words of ASCII without what JSON escapes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** A LIKE pattern with wildcards escaped. */
const likeOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** The text around the first words in a message. */
function matchIn(message: number, parts: readonly ChatPart[], q: string): ChatMatch | null {
  for (const part of parts) {
    if (part.type !== 'text' || !folded(part.text).includes(q)) continue;
    // In a text whose folded form has another length the words may stand elsewhere.
    const found = part.text.toLowerCase().indexOf(q);
    const [at, length] = found < 0 ? [0, 0] : [found, q.length];
    return {
      message,
      before: part.text.slice(Math.max(0, at - AROUND), at),
      words: part.text.slice(at, at + length),
      after: part.text.slice(at + length, at + length + AROUND),
    };
  }
  return null;
}

/** Lists conversations, and searches their titles and texts. */
export function createChatList(database: DatabaseSync) {
  database.function('has_words', { deterministic: true }, (text, q) =>
    Number(folded(String(text ?? '')).includes(String(q))),
  );
  const selectBy = (has: (column: string) => string, parts: string) =>
    database.prepare(`
      select * from (
        select chats.*, case when :q = '' then null else (
          select m.id from messages m, json_each(m.parts) part
          where m.chat = chats.id ${parts} and part.value ->> 'type' = 'text' and ${has("part.value ->> 'text'")}
          order by m.id desc limit 1) end as found
        from chats where project = :project and (:q <> '' or archived = :archived))
      where :q = '' or found is not null or ${has('title')}
      order by pinned desc, at desc limit :limit`);
  const isLike = (column: string) => `${column} like :like escape '\\'`;
  const select = {
    any: selectBy((column) => `has_words(${column}, :q)`, ''),
    // SQLite folds ASCII by itself, which is several times faster, and finds such words in the stored form.
    plain: selectBy(isLike, `and ${isLike('m.parts')}`),
  };
  const partsOf = database.prepare('select parts from messages where id = ?');
  return ({ project, q = '', archived = false, limit = LISTED }: ListQuery) => {
    const words = folded(q.trim());
    const given = { project, q: words, archived: Number(archived), limit: limit + 1 };
    const isPlain = PLAIN.test(words);
    const found = isPlain ? select.plain.all({ ...given, like: likeOf(words) }) : select.any.all(given);
    const rows = found as unknown as (ChatRow & { found: number | null })[];
    const chats = rows.slice(0, limit).map(({ found, ...row }): Chat & { match?: ChatMatch } => {
      const parts = found === null ? [] : (JSON.parse(String(partsOf.get(found)?.parts)) as ChatPart[]);
      const match = found === null ? null : matchIn(found, parts, words);
      return { ...chatOf(row), ...(match && { match }) };
    });
    return { chats, more: rows.length > limit };
  };
}
