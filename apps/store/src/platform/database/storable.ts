const NUL = '\0';
const REPLACEMENT = '\uFFFD';

/**
 * A value as every database can keep it. PostgreSQL has no U+0000 in text, and SQLite's LIKE ends at one, so it becomes
 * U+FFFD on its way in, as CommonMark (section 2.3) asks of a README anyway. No id, number or hash holds either, so a
 * search for one that does finds nothing.
 */
export const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll(NUL, REPLACEMENT) : value;
