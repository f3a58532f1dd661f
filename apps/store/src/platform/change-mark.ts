/**
 * A number that is another one after every commit to the database, whichever process makes it: what was read after a mark was taken
 * still holds for as long as the mark is the same. Null when that cannot be told, so that the database must be asked.
 */
export type ChangeMark = () => number | null;
