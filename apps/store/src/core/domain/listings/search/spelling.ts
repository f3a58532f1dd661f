/** Deletions are made in the first letters only: other differences are found by the comparison afterwards. */
const CUT_LETTERS = 7;

const MIN_LENGTH_OF_ONE_EDIT = 4;
const MIN_LENGTH_OF_TWO_EDITS = 8;

/** The maximum edit distance for a word. An edit is an inserted, deleted or replaced letter, or two transposed ones. */
export function maxEdits(word: string): number {
  const { length } = [...word];
  if (length < MIN_LENGTH_OF_ONE_EDIT) return 0;
  return length < MIN_LENGTH_OF_TWO_EDITS ? 1 : 2;
}

/** The first letters of a word, and all texts with up to `max` of these letters deleted. */
function cutsOf(word: string, max: number): Set<string> {
  const cuts = new Set([[...word].slice(0, CUT_LETTERS).join('')]);
  let last = [...cuts];
  for (let cut = 0; cut < max; cut += 1) {
    last = last.flatMap((text) => {
      const letters = [...text];
      return letters.length < 2 ? [] : letters.map((_, at) => letters.toSpliced(at, 1).join(''));
    });
    for (const text of last) cuts.add(text);
  }
  return cuts;
}

/**
 * The spellings to look up for a typed word (symmetric deletion): it has one in common with every word within the maximum edit distance, so
 * that a few exact look-ups replace a comparison with every word.
 */
export const spellingsOf = (typed: string): Set<string> => cutsOf(typed, maxEdits(typed));

/** The spellings to index for a word. A typed word may be two letters longer, and allow as many edits as a longer word. */
export const indexedSpellingsOf = (word: string): Set<string> => cutsOf(word, maxEdits(`${word}--`));
