import { type SqlBool, sql } from 'kysely';

/** Lower-cases the ASCII letters of a text, as `lower()` of both databases does for columns in byte order. */
export const asciiLower = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * Matches rows in which one of some columns begins with a text, regardless of the case of ASCII letters. The databases differ in how
 * they lower-case other letters, so those must match exactly.
 */
export function beginsWith(columns: readonly string[], text: string) {
  const pattern = `${asciiLower(text).replace(/[\\%_]/g, '\\$&')}%`;
  const matches = (column: string) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
  return sql<SqlBool>`(${sql.join(columns.map(matches), sql` or `)})`;
}
