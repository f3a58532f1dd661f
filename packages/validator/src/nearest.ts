import { editDistance } from '@svc/text';

/** Longest text that is compared, in UTF-16 code units: a message does not quote more of a value. */
const MAX_LENGTH = 60;

/** Maximum number of candidates: with more, the nearest would be arbitrary, and the work unbounded. */
const MAX_CANDIDATES = 500;

/** A typo has one or two edits; three edits make a different word. */
const MAX_EDITS = 2;

/** Letters of the shorter name for each allowed edit: a short name would be similar to too many others. */
const LETTERS_PER_EDIT = 3;

const SEPARATORS = /[\s_-]+/g;

/** Normalises a name for comparison: lower case, without spaces, `-` and `_`. */
export function foldSpelling(text: string): string {
  return text.toLowerCase().replace(SEPARATORS, '');
}

/**
 * Returns the candidate that the author of `value` most likely meant: equal except for letter case and separators, or
 * at most two edits away (a letter replaced, missing or added, or two neighbours swapped). Undefined when there is none,
 * or more than one at the same distance. The work is bounded for any input.
 */
export function nearest(value: unknown, candidates: Iterable<string>): string | undefined {
  return closest(value, candidates, MAX_EDITS);
}

/** Returns the candidate that equals `value` except for letter case, spaces, `-` and `_`. */
export function sameSpelling(value: unknown, candidates: Iterable<string>): string | undefined {
  return closest(value, candidates, 0);
}

function closest(value: unknown, candidates: Iterable<string>, maxEdits: number): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  const wanted = foldSpelling(value);
  if (wanted === '') return undefined;
  let best: string | undefined;
  let fewest = maxEdits + 1;
  let compared = 0;
  for (const candidate of candidates) {
    compared += 1;
    if (compared > MAX_CANDIDATES) return undefined;
    if (candidate === value || candidate.length > MAX_LENGTH) continue;
    const edits = editsBetween(wanted, foldSpelling(candidate), maxEdits);
    // Two candidates at the same distance: the choice would be arbitrary.
    if (edits === fewest && edits <= maxEdits && candidate !== best) best = undefined;
    if (edits >= fewest) continue;
    best = candidate;
    fewest = edits;
  }
  return best;
}

/** Number of edits between two texts, or `maxEdits + 1` when there are more than that or than their lengths allow. */
function editsBetween(a: string, b: string, maxEdits: number): number {
  const allowed = Math.min(maxEdits, Math.floor(Math.min(a.length, b.length) / LETTERS_PER_EDIT));
  const edits = editDistance(a, b, allowed);
  return edits > allowed ? maxEdits + 1 : edits;
}
