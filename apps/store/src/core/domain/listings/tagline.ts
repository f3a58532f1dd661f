import { LIMITS } from '@svc/contracts';

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const words = new Intl.Segmenter('en', { granularity: 'word' });
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const ELLIPSIS = '…';
const MAX_LENGTH = LIMITS.catalog.tagline - ELLIPSIS.length;

/**
 * Abbreviations after which a full stop does not end a sentence, before a capital letter or a number; before a lower-case letter the
 * segmenter (UAX 29) detects it. CLDR has such a list, which Intl.Segmenter does not use.
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
  // No abbreviation is longer, so the expression only needs a few characters of the text.
  const word = LAST_WORD.exec(text.slice(-16))?.[1];
  return word !== undefined && (ABBREVIATIONS.has(word.toLowerCase()) || INITIAL.test(word));
}

/** The first sentence of a text that is not only punctuation. */
function firstSentence(text: string): string {
  let sentence = '';
  for (const { segment } of sentences.segment(text)) {
    sentence += segment;
    if (/[\p{L}\p{N}\p{S}]/u.test(sentence) && !endsInAbbreviation(sentence.trimEnd())) break;
  }
  return sentence.trimEnd();
}

/** As many parts as fit into the maximum length. */
function fitting(parts: Intl.Segments): string {
  let cut = '';
  for (const { segment } of parts) {
    if (cut.length + segment.length > MAX_LENGTH) break;
    cut += segment;
  }
  return cut;
}

/** Cuts a text after a word, or within one when the whole words are shorter than half of the maximum length. */
function shortened(text: string): string {
  const atWord = fitting(words.segment(text)).trimEnd();
  const cut = atWord.length >= MAX_LENGTH / 2 ? atWord : fitting(graphemes.segment(text)).trimEnd();
  // A single character with more combining marks than fit is cut too, but not within a code point.
  return (cut || text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '')) + ELLIPSIS;
}

/** The first sentence of a description, in one line of at most 100 characters. Empty only when the description is. */
export function taglineOf(description: string): string {
  const [paragraph = ''] = description.trim().split(/\r?\n[^\S\n]*\r?\n/, 1);
  const first = firstSentence(paragraph.replace(/\s+/g, ' ').trim());
  return first.length <= LIMITS.catalog.tagline ? first : shortened(first);
}
