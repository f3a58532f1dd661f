import { editDistance } from '@svc/text';

/** Longest text that is compared, in UTF-16 code units: no more of a value is repeated in a message anyway. */
const LONGEST = 60;

/** Most candidates that are looked at; among more of them "the nearest" would be chance, and the work without bound. */
const MAX_CANDIDATES = 500;

/** Two slips may be one hasty word; three make another word. */
const MAX_SLIPS = 2;

/** A short name has few neighbours only if little of it may differ: one letter in three. */
const LETTERS_PER_SLIP = 3;

const SEPARATORS = /[\s_-]+/g;

/** The form in which names are compared: letter case, spaces, `-` and `_` are gone. */
export function foldSpelling(text: string): string {
  return text.toLowerCase().replace(SEPARATORS, '');
}

/**
 * The one candidate that the author of `value` most likely meant: the same but for letter case and separators, or
 * else at most two slips away (a letter wrong, missing, added, or two neighbours swapped). Undefined when there is none,
 * or more than one as near. The work is bounded whatever is given.
 */
export function nearest(value: unknown, candidates: Iterable<string>): string | undefined {
  return closest(value, candidates, MAX_SLIPS);
}

/** The one candidate that is `value` but for letter case, spaces, `-` and `_`. */
export function sameSpelling(value: unknown, candidates: Iterable<string>): string | undefined {
  return closest(value, candidates, 0);
}

function closest(value: unknown, candidates: Iterable<string>, mostSlips: number): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST) return undefined;
  const wanted = foldSpelling(value);
  if (wanted === '') return undefined;
  let best: string | undefined;
  let fewest = mostSlips + 1;
  let looked = 0;
  for (const candidate of candidates) {
    looked += 1;
    if (looked > MAX_CANDIDATES) return undefined;
    if (candidate === value || candidate.length > LONGEST) continue;
    const slips = slipsBetween(wanted, foldSpelling(candidate), mostSlips);
    // Two as near: neither is the one.
    if (slips === fewest && slips <= mostSlips && candidate !== best) best = undefined;
    if (slips >= fewest) continue;
    best = candidate;
    fewest = slips;
  }
  return best;
}

/** Slips between two texts, or more than `most` when they are further apart than that or than their lengths allow. */
function slipsBetween(one: string, other: string, most: number): number {
  const allowed = Math.min(most, Math.floor(Math.min(one.length, other.length) / LETTERS_PER_SLIP));
  const slips = editDistance(one, other, allowed);
  return slips > allowed ? most + 1 : slips;
}
