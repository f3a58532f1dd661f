/**
 * Returns a number that changes with every commit to the database, by any process. Data that was read after a mark is current for as
 * long as the mark is the same. Null when the database has no such number, so that it must be queried.
 */
export type ChangeMark = () => number | null;
