/**
 * Confusable letters and what replaces them. Single letters come first, then pairs: `c1` looks like `cl`, which looks like `d`. A
 * letter that looks like two is replaced by the two, never the reverse, so that it does not matter where in `nnn` the `m` is seen.
 * No two digits are confusable: `team-6` and `team-8` may both exist.
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
 * The skeleton of a slug: two confusable slugs have the same one. Slugs are lower-case ASCII, so this covers the ASCII part of
 * Unicode's confusables (UTS 39 section 4) and letters that run together. The database stores it: a change of this function needs
 * a migration.
 */
export function lookOf(slug: string): string {
  const folded = ALIKE.reduce((look, [letters, one]) => look.replaceAll(letters, one), slug);
  // `rn` looks like `m`, as `nn` does. In `rrn` the last two become `nn`, after which the first `r` is followed by `n` too.
  return folded.replace(/(?<!r)r+(?=n)/g, (rs) => 'n'.repeat(rs.length));
}
