/**
 * The least number of slips that make one text of another: a character too many, too few, another one, or two neighbours
 * that changed places (optimal string alignment). Tries each slip at the first difference, which for the few slips that
 * are ever forgiven is quicker than to fill a table; its cost grows with 4 to the power of `most`.
 * @param most slips that are of interest, 3 at most
 * @returns the number, or one more than `most` when it is larger
 */
export function editDistance(one: string, other: string, most: number): number {
  if (most > 3) throw new RangeError('editDistance counts up to 3 slips.');
  return slipsFrom([...one], 0, [...other], 0, most);
}

function slipsFrom(
  one: readonly string[],
  i: number,
  other: readonly string[],
  j: number,
  most: number,
): number {
  if (Math.abs(one.length - i - (other.length - j)) > most) return most + 1;
  let [at, to] = [i, j];
  while (at < one.length && one[at] === other[to]) {
    at += 1;
    to += 1;
  }
  if (at === one.length && to === other.length) return 0;
  if (most === 0) return 1;
  const isSwapped = at + 1 < one.length && one[at] === other[to + 1] && one[at + 1] === other[to];
  return (
    1 +
    Math.min(
      slipsFrom(one, at + 1, other, to + 1, most - 1),
      slipsFrom(one, at + 1, other, to, most - 1),
      slipsFrom(one, at, other, to + 1, most - 1),
      isSwapped ? slipsFrom(one, at + 2, other, to + 2, most - 1) : most,
    )
  );
}
