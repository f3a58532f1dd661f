/**
 * What is easily read as something else, and what stands for both. What looks like one letter comes first, then letters that
 * run together: `c1` looks like `cl`, which looks like `d`. A letter that looks like two is written out as the two, and never
 * the other way, so that it makes no difference where in `nnn` the `m` is seen. No two digits look alike: `team-6` and `team-8`
 * may stand beside each other.
 */
export const ALIKE: readonly (readonly [letters: string, look: string])[] = [
  ['-', ''],
  ['1', 'l'],
  ['i', 'l'],
  ['0', 'o'],
  ['5', 's'],
  ['2', 'z'],
  ['6', 'b'],
  ['9', 'g'],
  ['q', 'g'],
  ['d', 'cl'],
  ['w', 'vv'],
  ['m', 'nn'],
];

/**
 * A slug as it looks at a glance: two slugs that a person could take for each other have the same look. Slugs are lower-case
 * ASCII already, so this is the part of Unicode's confusables (UTS 39 section 4) that is left, and letters that run together.
 * Looks are kept in the database: a change of this needs a migration that makes them again.
 */
export function lookOf(slug: string): string {
  const folded = ALIKE.reduce((look, [letters, one]) => look.replaceAll(letters, one), slug);
  // `rn` looks like `m`, and so does `nn`; of `rrn` the last two letters do, and what they look like makes the first do so too.
  return folded.replace(/(?<!r)r+(?=n)/g, (rs) => 'n'.repeat(rs.length));
}
