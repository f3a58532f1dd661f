/**
 * Returns the edit distance of two texts: the number of characters to insert, delete or replace, or of neighbours to swap
 * (optimal string alignment). Tries each edit at the first difference, which for a few edits
 * is faster than filling a table; the cost grows with 4 to the power of `maxEdits`.
 * @param maxEdits at most 3
 * @returns the distance, or `maxEdits + 1` when it is larger
 */
export function editDistance(a: string, b: string, maxEdits: number): number {
  if (maxEdits > 3) throw new RangeError('editDistance: maxEdits must be at most 3.');
  return editsFrom([...a], 0, [...b], 0, maxEdits);
}

function editsFrom(
  a: readonly string[],
  i: number,
  b: readonly string[],
  j: number,
  maxEdits: number,
): number {
  if (Math.abs(a.length - i - (b.length - j)) > maxEdits) return maxEdits + 1;
  let [at, to] = [i, j];
  while (at < a.length && a[at] === b[to]) {
    at += 1;
    to += 1;
  }
  if (at === a.length && to === b.length) return 0;
  if (maxEdits === 0) return 1;
  const isSwapped = at + 1 < a.length && a[at] === b[to + 1] && a[at + 1] === b[to];
  return (
    1 +
    Math.min(
      editsFrom(a, at + 1, b, to + 1, maxEdits - 1),
      editsFrom(a, at + 1, b, to, maxEdits - 1),
      editsFrom(a, at, b, to + 1, maxEdits - 1),
      isSwapped ? editsFrom(a, at + 2, b, to + 2, maxEdits - 1) : maxEdits,
    )
  );
}
