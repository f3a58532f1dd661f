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
