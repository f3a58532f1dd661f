import { type SqlBool, sql } from 'kysely';

/** A text with its ASCII letters in lower case, as both databases lower a column that they order by its bytes. */
export const asciiLower = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * Whether one of some columns begins with a text, whatever the case of its ASCII letters: of the others both databases
 * lower none or not the same, so that none is lowered here.
 */
export function beginsWith(columns: readonly string[], text: string) {
  const pattern = `${asciiLower(text).replace(/[\\%_]/g, '\\$&')}%`;
  const one = (column: string) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
  return sql<SqlBool>`(${sql.join(columns.map(one), sql` or `)})`;
}
