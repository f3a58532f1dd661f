import { readPairs, shapeOf, skeleton } from './skeleton.ts';

/** The `'s` at the end of a word: "founder's VC" does not contain `S VC`, and "svc's" contains `svc`. */
const GENITIVE = /(?<=[\p{L}\p{N}])['’‘ʼ＇`´]s(?![\p{L}\p{N}])/giu;

/** Separators between words. Marks belong to the letter before them. */
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}]+/u;

/** Characters such as `|` that UTS 39 treats as letters and readers as separators. */
const SEPARATORS = /[\p{Z}\p{P}\p{Sm}\p{Sk}\s\u2800]+/gu;

/** NFKC maps it to s, UTS 39 to f. */
const LONG_S = 'ſ';

/**
 * Characters that are read as Latin letters only where a word of them spells a name: digits, and the syllabics of decorated names. UTS 39
 * keeps them apart, as `team-5` and `team-s` are different names. In the form that skeletons have.
 */
const READ_AS: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b', 9: 'g' }),
  ...Object.entries({
    ᔕ: 's',
    ᑕ: 'c',
    ᗩ: 'a',
    ᗪ: 'cl',
    ᗷ: 'b',
    ᕮ: 'e',
    ᖴ: 'f',
    ᘜ: 'g',
    ᕼ: 'h',
    ᒍ: 'j',
    ᛕ: 'k',
  }),
  ...Object.entries({ ᒪ: 'l', ᗰ: 'rn', ᑎ: 'n', ᑭ: 'p', ᖇ: 'r', ᑌ: 'u', ᐯ: 'v', ᗯ: 'w', ᘔ: 'z' }),
]);

const readAsLatin = (shape: string): string =>
  Array.from(shape, (character) => READ_AS.get(character) ?? character).join('');

const BIDI_CONTROL = /[\u202a-\u202e\u2066-\u2069]/u;

/**
 * All ways in which a name can be read: with characters such as `|` as letters and as separators, a long s as s and as
 * f, digits and syllabics as letters, `vv` as w, and backwards if it has bidi controls.
 */
function readings(name: string): Set<string> {
  const plain = name.replaceAll(GENITIVE, ' ');
  const split = plain.replaceAll(SEPARATORS, ' ');
  const forward = [plain, split].flatMap((text) => [text, text.replaceAll(LONG_S, 'f')]);
  const backward = BIDI_CONTROL.test(name) ? forward.map((text) => [...text].reverse().join('')) : [];
  const shapes = [...forward, ...backward].map((text) => shapeOf(text));
  const read = [...shapes, ...shapes.map(readAsLatin)];
  return new Set([...read, ...read.map(readPairs)]);
}

/** The first of some skeletons that one or several consecutive whole words of a text spell. */
function spelt(text: string, wanted: ReadonlySet<string>, longest: number): string | null {
  const words = text.split(BETWEEN_WORDS).filter((word) => word !== '');
  for (let first = 0; first < words.length; first += 1) {
    let run = '';
    for (let at = first; at < words.length && run.length < longest; at += 1) {
      run += words[at];
      if (wanted.has(run)) return run;
    }
  }
  return null;
}

/**
 * The first of some skeletons that a name contains as a word, or as consecutive whole words: `S v c` and `S.V.C` contain `svc`,
 * `Mass VC tools` does not. Letters are compared by their look.
 */
export function skeletonIn(name: string, wanted: ReadonlySet<string>): string | null {
  const longest = Math.max(0, ...Array.from(wanted, ({ length }) => length));
  for (const reading of readings(name)) {
    const found = spelt(reading, wanted, longest);
    if (found !== null) return found;
  }
  return null;
}

/** Whether a name contains a reserved name, as `skeletonIn` compares. */
export function isReservedName(name: string, reserved: string): boolean {
  const wanted = skeleton(reserved);
  return wanted !== '' && skeletonIn(name, new Set([wanted])) !== null;
}
