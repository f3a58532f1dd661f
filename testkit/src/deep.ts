/**
 * Options of a slow test or group: `npm test` skips it, `npm run test:deep` runs it. There must be a quick test of the same
 * behaviour.
 */
export const DEEP: { tags: string[] } = { tags: ['deep'] };

/**
 * Options of a test of the store that `npm test` runs on PostgreSQL as well as on SQLite: a journey through its feature, a race between
 * processes, or SQL that the two databases execute in different ways. `scripts/test-projects.ts` names the files that have such tests.
 */
export const BOTH_DATABASES: { tags: string[] } = { tags: ['both-databases'] };

/** The colour schemes of a page, each with the options of its test: the second one is deep. */
export const SCHEMES = [
  ['light', {}],
  ['dark', DEEP],
] as const;

/**
 * The colour schemes and window widths of a page, each with the options of its test. All are deep: a change rarely causes an axe
 * violation in a page that it does not touch.
 */
export const LOOKS = [
  ['light', 390, DEEP],
  ['light', 1280, DEEP],
  ['dark', 390, DEEP],
  ['dark', 1280, DEEP],
] as const;

/**
 * Number of inputs of a property test: all in the deep run, a quarter in `npm test`. The inputs are the same at every run, so more of
 * them rarely find a new bug.
 */
export const runs = (all: number): number =>
  process.env.SVC_TEST_QUICK === undefined ? all : Math.ceil(all / 4);
