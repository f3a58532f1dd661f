import type { Docs } from './read-docs.ts';
import type { Doc, Section } from './render-doc.ts';

/** Where something was found. */
export type Hit = { doc: Doc; section: Section; excerpt: string };

/** Most words of a question that are looked for, and most places that are shown. */
const MAX_WORDS = 8;
const MAX_HITS = 30;

const EXCERPT_BEFORE = 60;
const EXCERPT_CHARACTERS = 220;

/** A heading says more of a section than its text, and the title of a document more than both. */
const WEIGHT = { title: 8, heading: 5, text: 1 };

const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/** What one word is worth in a section; 0 when it is not there. */
function worth(word: string, doc: Doc, { heading, text }: Section): number {
  const places = { title: doc.title, heading, text };
  return (Object.keys(WEIGHT) as (keyof typeof WEIGHT)[])
    .filter((place) => folded(places[place]).includes(word))
    .reduce((sum, place) => sum + WEIGHT[place], 0);
}

function excerptOf(text: string, words: readonly string[]): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  const at = Math.min(...words.map((word) => folded(plain).indexOf(word)).filter((place) => place >= 0));
  const from = Number.isFinite(at) ? Math.max(0, at - EXCERPT_BEFORE) : 0;
  const part = plain.slice(from, from + EXCERPT_CHARACTERS);
  return `${from > 0 ? '…' : ''}${part}${from + EXCERPT_CHARACTERS < plain.length ? '…' : ''}`;
}

/** The sections that hold every word of a question, the most telling first. */
export function searchDocs({ pages }: Docs, question: string): Hit[] {
  const words = [...new Set(folded(question).split(/\s+/).filter(Boolean))].slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  const found = [...pages.values()].flatMap((doc) =>
    doc.sections.flatMap((section) => {
      const worths = words.map((word) => worth(word, doc, section));
      if (worths.includes(0)) return [];
      return { doc, section, total: worths.reduce((sum, one) => sum + one, 0) };
    }),
  );
  return found
    .sort((one, other) => other.total - one.total)
    .slice(0, MAX_HITS)
    .map(({ doc, section }) => ({ doc, section, excerpt: excerptOf(section.text, words) }));
}
