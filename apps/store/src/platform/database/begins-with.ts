import { type SqlBool, sql } from 'kysely';

/** Lower-cases the ASCII letters of a text, as `lower()` of both databases does for columns in byte order. */
export const asciiLower = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** A text for a pattern of LIKE, in which it stands for itself. */
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

const like = (column: string, pattern: string) =>
  sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;

/**
 * Matches rows in which one of some columns begins with a text, regardless of the case of ASCII letters. The databases differ in how
 * they lower-case other letters, so those must match exactly.
 */
export function beginsWith(columns: readonly string[], text: string) {
  const pattern = `${literal(asciiLower(text))}%`;
  const matches = columns.map((column) => like(column, pattern));
  return sql<SqlBool>`(${sql.join(matches, sql` or `)})`;
}

/** Matches rows in which a column contains a text, regardless of the case of ASCII letters. */
export const contains = (column: string, text: string) => like(column, `%${literal(asciiLower(text))}%`);
