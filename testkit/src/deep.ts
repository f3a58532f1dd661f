/**
 * Options of a test, or of a group, that takes long: `npm test` leaves it to `npm run test:deep`. What it proves must have a quick
 * form beside it.
 */
export const DEEP: { tags: string[] } = { tags: ['deep'] };

/** The colours that a page is drawn in, each with the options of its test: the second one is deep. */
export const SCHEMES = [
  ['light', {}],
  ['dark', DEEP],
] as const;
