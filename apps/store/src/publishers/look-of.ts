/** What is easily read as something else, in the order in which it is replaced. */
const ALIKE: readonly [RegExp, string][] = [
  [/-/g, ''],
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/cl/g, 'd'],
  [/[1li]/g, 'l'],
  [/0/g, 'o'],
  [/5/g, 's'],
  [/2/g, 'z'],
  [/8/g, 'b'],
  [/6/g, 'g'],
];

/**
 * A slug as it looks at a glance: two slugs that somebody could take for each other have the same look. Slugs are lower-case
 * ASCII already, so this is the part of Unicode's confusables (UTS 39 section 4) that is left, and letters that run together.
 * Looks are kept in the database: whoever changes this makes them anew there.
 */
export const lookOf = (slug: string): string =>
  ALIKE.reduce((look, [alike, one]) => look.replace(alike, one), slug);
