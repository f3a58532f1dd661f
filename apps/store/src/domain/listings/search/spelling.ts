/** Cuts are made of the first letters alone: what differs in a word differs there, or in what is compared afterwards. */
const CUT_LETTERS = 7;

const MIN_LENGTH_OF_ONE_EDIT = 4;
const MIN_LENGTH_OF_TWO_EDITS = 8;

/** How many mistakes are forgiven in a word: each a letter too many, too few, another one, or two that changed places. */
export function maxEdits(word: string): number {
  const { length } = [...word];
  if (length < MIN_LENGTH_OF_ONE_EDIT) return 0;
  return length < MIN_LENGTH_OF_TWO_EDITS ? 1 : 2;
}

/** The texts that are left of a word's start when up to `most` letters are taken out of it, the start itself too. */
function cutsOf(word: string, most: number): Set<string> {
  const cuts = new Set([[...word].slice(0, CUT_LETTERS).join('')]);
  let last = [...cuts];
  for (let cut = 0; cut < most; cut += 1) {
    last = last.flatMap((text) => {
      const letters = [...text];
      return letters.length < 2 ? [] : letters.map((_, at) => letters.toSpliced(at, 1).join(''));
    });
    for (const text of last) cuts.add(text);
  }
  return cuts;
}

/**
 * By what a word is looked for that may be misspelt (symmetric deletion): it has a cut in common with every word that is
 * within the mistakes that are forgiven, so that a handful of exact look-ups replaces a comparison with every word there is.
 */
export const spellingsOf = (typed: string): Set<string> => cutsOf(typed, maxEdits(typed));

/** By what a word is found. What was typed may be two letters longer, and be forgiven as much as a longer word is. */
export const foundSpelt = (word: string): Set<string> => cutsOf(word, maxEdits(`${word}--`));

/**
 * The least number of mistakes that make one word of another (optimal string alignment).
 * @returns the number, or one more than `most` when it is larger
 */
export function editDistance(a: string, b: string, most: number): number {
  const [left, right] = [[...a], [...b]];
  if (Math.abs(left.length - right.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, n) => n);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const isSame = left[i - 1] === right[j - 1];
      const isSwapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const at = (from: number[], n: number) => from[n] ?? Number.POSITIVE_INFINITY;
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return Math.min(last[right.length] ?? most + 1, most + 1);
}
