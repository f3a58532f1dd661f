/** Suggestions made at most. */
const MOST = 5;

/** Edits after which a word is no longer the same one with a slip in it. */
const MOST_EDITS = 3;

/** Longer words are no slip of anything, and comparing them would take long. */
const LONGEST = 100;

/** How many letters must be added, taken away or changed to make one word of the other (Levenshtein). */
function edits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Those of the words that could have been meant: they begin with what was written, or differ from it by a slip. */
export function closest(written: string, words: readonly string[]): string[] {
  if (written === '' || written.length > LONGEST) return [];
  const folded = written.toLowerCase();
  return words
    .map((word) => ({
      word,
      far: word.toLowerCase().startsWith(folded) ? 0 : edits(folded, word.toLowerCase()),
    }))
    .filter(({ far }) => far <= MOST_EDITS)
    .sort((a, b) => a.far - b.far)
    .slice(0, MOST)
    .map(({ word }) => word);
}
