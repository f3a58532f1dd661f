const NUL = '\0';
const REPLACEMENT = '\uFFFD';

/**
 * Makes a value storable in both databases. PostgreSQL does not allow U+0000 in text, and LIKE of SQLite ends at it, so it is replaced
 * by U+FFFD, as CommonMark (section 2.3) requires for a README anyway. No id, number or hash contains either, so a search for one finds
 * nothing.
 */
export const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll(NUL, REPLACEMENT) : value;
