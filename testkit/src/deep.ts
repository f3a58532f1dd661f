/**
 * Options of a test, or of a group, that takes long: `npm test` leaves it to `npm run test:deep`. What it proves must have a quick
 * form beside it.
 */
export const DEEP: { tags: string[] } = { tags: ['deep'] };

/**
 * Options of a test of the store that `npm test` runs on PostgreSQL as well as on SQLite: a journey through its feature, a race between
 * processes, or SQL that the two databases execute in different ways. `scripts/test-projects.ts` names the files that have such tests.
 */
export const BOTH_DATABASES: { tags: string[] } = { tags: ['both-databases'] };

/** The colours that a page is drawn in, each with the options of its test: the second one is deep. */
export const SCHEMES = [
  ['light', {}],
  ['dark', DEEP],
] as const;

/**
 * The colours and the widths of the window that a page is drawn in, each with the options of its test: all are deep, as a page in which
 * axe finds a fault is seldom one that a change was not about.
 */
export const LOOKS = [
  ['light', 390, DEEP],
  ['light', 1280, DEEP],
  ['dark', 390, DEEP],
  ['dark', 1280, DEEP],
] as const;

/**
 * How many inputs a property test tries: all of them, but for `npm test`, which tries a quarter. They are the same at every run, so
 * that more of them find little that a change has broken; the deep run tries all.
 */
export const runs = (all: number): number =>
  process.env.SVC_TEST_QUICK === undefined ? all : Math.ceil(all / 4);
