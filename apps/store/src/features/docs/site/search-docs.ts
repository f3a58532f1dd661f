import type { Docs } from './read-docs.ts';
import type { Doc, Section } from './render-doc.ts';

/** A match of a search. */
export type Hit = { doc: Doc; section: Section; excerpt: string };

/** The most words of a query that are searched for, and the most matches that are shown. */
const MAX_WORDS = 8;
const MAX_HITS = 30;

const EXCERPT_BEFORE = 60;
const EXCERPT_CHARACTERS = 220;

/** A match in a heading counts more than one in the text, and a match in the title of a document more than both. */
const WEIGHT = { title: 8, heading: 5, text: 1 };

const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/** The score of a word in a section; 0 when it does not occur. */
function scoreOf(word: string, doc: Doc, { heading, text }: Section): number {
  const fields = { title: doc.title, heading, text };
  return (Object.keys(WEIGHT) as (keyof typeof WEIGHT)[])
    .filter((field) => folded(fields[field]).includes(word))
    .reduce((sum, field) => sum + WEIGHT[field], 0);
}

function excerptOf(text: string, words: readonly string[]): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  const at = Math.min(...words.map((word) => folded(plain).indexOf(word)).filter((index) => index >= 0));
  const from = Number.isFinite(at) ? Math.max(0, at - EXCERPT_BEFORE) : 0;
  const part = plain.slice(from, from + EXCERPT_CHARACTERS);
  return `${from > 0 ? '…' : ''}${part}${from + EXCERPT_CHARACTERS < plain.length ? '…' : ''}`;
}

/** The sections that contain every word of a query, the highest score first. */
export function searchDocs({ pages }: Docs, query: string): Hit[] {
  const words = [...new Set(folded(query).split(/\s+/).filter(Boolean))].slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  const matches = [...pages.values()].flatMap((doc) =>
    doc.sections.flatMap((section) => {
      const scores = words.map((word) => scoreOf(word, doc, section));
      if (scores.includes(0)) return [];
      return { doc, section, total: scores.reduce((sum, score) => sum + score, 0) };
    }),
  );
  return matches
    .sort((a, b) => b.total - a.total)
    .slice(0, MAX_HITS)
    .map(({ doc, section }) => ({ doc, section, excerpt: excerptOf(section.text, words) }));
}
