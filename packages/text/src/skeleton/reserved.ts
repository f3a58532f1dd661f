import { shapeOf, skeleton } from './skeleton.ts';

/** The `'s` at the end of a word: `S VC` is not spelt in "founder's VC", and `svc` is in "svc's". */
const GENITIVE = /(?<=[\p{L}\p{N}])['’‘ʼ＇`´]s(?![\p{L}\p{N}])/giu;

/** What stands between words. Marks belong to the letter before them. */
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}]+/u;

/** Characters that look like letters to UTS 39, as `|` does, and separate words to everybody else. */
const SEPARATORS = /[\p{Z}\p{P}\p{Sm}\p{Sk}\s\u2800]+/gu;

/** NFKC reads it as an s, and UTS 39 as an f. */
const LONG_S = 'ſ';

/** Turns the reading direction of what follows. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/u;

/**
 * A name in the ways in which it can be read: with characters such as `|` as letters and as separators, a long s as an s and as
 * an f, and backwards where something in it turns the direction.
 */
function readings(name: string): Set<string> {
  const plain = name.replaceAll(GENITIVE, ' ');
  const split = plain.replaceAll(SEPARATORS, ' ');
  const forward = [plain, split].flatMap((text) => [text, text.replaceAll(LONG_S, 'f')]);
  const backward = TURNS.test(name) ? forward.map((text) => [...text].reverse().join('')) : [];
  return new Set([...forward, ...backward].map(shapeOf));
}

/** Whether whole words of a text, one or several in a row, spell `wanted`. */
function spells(text: string, wanted: string): boolean {
  const words = text.split(BETWEEN_WORDS).filter((word) => word !== '');
  return words.some((_, first) => {
    let spelt = '';
    for (let at = first; at < words.length && spelt.length < wanted.length; at += 1) spelt += words[at];
    return spelt === wanted;
  });
}

/**
 * Whether a name holds a reserved one, at word boundaries: as a word, or spelt by whole words in a row, so that `S v c` and
 * `S.V.C` count and `Mass VC tools` does not. Letters are compared by what they look like.
 */
export function isReservedName(name: string, reserved: string): boolean {
  const wanted = skeleton(reserved);
  if (wanted === '') return false;
  return [...readings(name)].some((reading) => spells(reading, wanted));
}
