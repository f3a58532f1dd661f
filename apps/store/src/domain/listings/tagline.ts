import { LIMITS } from '@svc/contracts';

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const words = new Intl.Segmenter('en', { granularity: 'word' });
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const ELLIPSIS = '…';
const ROOM = LIMITS.catalog.tagline - ELLIPSIS.length;

/**
 * What a full stop follows without ending a sentence, in front of a capital or a number; in front of a small letter the
 * segmenter (UAX 29) sees that by itself. CLDR has such a list, which Intl.Segmenter does not reach.
 */
const ABBREVIATIONS = new Set([
  ...[
    'dr',
    'mr',
    'mrs',
    'ms',
    'mx',
    'prof',
    'st',
    'mt',
    'ft',
    'gen',
    'col',
    'capt',
    'lt',
    'sgt',
    'rev',
    'hon',
    'gov',
    'sen',
    'rep',
    'pres',
  ],
  ...[
    'vs',
    'no',
    'nos',
    'nr',
    'vol',
    'fig',
    'art',
    'sec',
    'ch',
    'p',
    'pp',
    'ed',
    'eds',
    'cf',
    'ca',
    'approx',
    'est',
    'e.g',
    'i.e',
    'incl',
    'esp',
  ],
  ...['sr', 'sra', 'srta', 'hr', 'fr', 'dipl', 'ing', 'bzw', 'z.b', 'd.h', 'u.a', 'mme', 'mlle', 'm'],
]);

/** The last word of a text that ends with a full stop, without that. */
const LAST_WORD = /([\p{L}.]{1,12})\.$/u;

/** An initial, alone or after others: `J.`, `U.S.` */
const INITIAL = /^(?:\p{L}\.)*\p{Lu}$/u;

function endsInAbbreviation(text: string): boolean {
  // A word that long is none; so the expression sees a few characters of any text.
  const word = LAST_WORD.exec(text.slice(-16))?.[1];
  return word !== undefined && (ABBREVIATIONS.has(word.toLowerCase()) || INITIAL.test(word));
}

/** The first sentence of a text that says something; punctuation alone does not. */
function firstSentence(text: string): string {
  let sentence = '';
  for (const { segment } of sentences.segment(text)) {
    sentence += segment;
    if (/[\p{L}\p{N}\p{S}]/u.test(sentence) && !endsInAbbreviation(sentence.trimEnd())) break;
  }
  return sentence.trimEnd();
}

/** As many parts as there is room for. */
function fitting(parts: Intl.Segments): string {
  let cut = '';
  for (const { segment } of parts) {
    if (cut.length + segment.length > ROOM) break;
    cut += segment;
  }
  return cut;
}

/** A text cut at a word; within one where words alone would leave less than half of the room. */
function shortened(text: string): string {
  const atWord = fitting(words.segment(text)).trimEnd();
  const cut = atWord.length >= ROOM / 2 ? atWord : fitting(graphemes.segment(text)).trimEnd();
  // One character with more marks upon it than there is room: a part of it, but no half of a code point.
  return (cut || text.slice(0, ROOM).replace(/[\ud800-\udbff]$/, '')) + ELLIPSIS;
}

/** The first sentence of a description, of one line and at most 100 characters. Empty only where the description is. */
export function taglineOf(description: string): string {
  const [paragraph = ''] = description.trim().split(/\r?\n[^\S\n]*\r?\n/, 1);
  const first = firstSentence(paragraph.replace(/\s+/g, ' ').trim());
  return first.length <= LIMITS.catalog.tagline ? first : shortened(first);
}
