import type { Category } from '@svc/contracts';
import { editDistance } from '@svc/text';
import {
  type Candidate,
  categoryKey,
  type List,
  MAX_START,
  NAME,
  type Place,
  type SearchIndex,
  START,
  WORD,
} from '../../../domain/listings/search/search-index.ts';
import { maxEdits, spellingsOf } from '../../../domain/listings/search/spelling.ts';
import { wordsOf } from '../../../domain/listings/search/words.ts';
import { type ParsedQuery, type QueryWord, scoreOf } from './score.ts';

/** The part of a query that is read. Longer ones would only slow down the searches of others. */
const MAX_CHARACTERS = 200;
const MAX_WORDS = 8;

/** The most apps that a search hits. After some pages a user adds a word rather than reads on. */
const MAX_HITS = 500;

/** The most names and ids that begin with the query, in their order, so with the exact one. The best are found by the lists. */
const MAX_BY_START = 100;

/** When a search hits fewer apps, spelling corrections are added. */
const MIN_HITS = 10;

/** The most continuations and spelling corrections of a word. */
const MAX_CONTINUATIONS = 8;
const MAX_CORRECTIONS = 8;

/** An app that a search found, with its score. */
export type SearchHit = Candidate & { score: number };

/** Parses a query. Any text is valid. */
export function parseQuery(q: string): ParsedQuery {
  const typed = q.slice(0, MAX_CHARACTERS);
  const words = wordsOf(typed).slice(0, MAX_WORDS);
  return {
    id: typed.includes('.') ? typed.trim().toLowerCase() : null,
    words: words.map((text, n) => ({ text, corrections: new Set(), isUnfinished: n === words.length - 1 })),
  };
}

/** The lists of which an app must be in one, for one word: those of its name alone, or of all its texts. */
type Groups = { inName: List[]; anywhere: List[] };

/** The lists of words that begin with a word. A short start of a name has a list of its own; longer ones are collected. */
async function continuations(index: SearchIndex, text: string, isThorough: boolean): Promise<Groups> {
  if ([...text].length <= MAX_START) {
    const starts = await index.lists([START + text]);
    const more = isThorough ? await index.listsBeginning(WORD + text, MAX_CONTINUATIONS) : [];
    return { inName: starts, anywhere: [...starts, ...more] };
  }
  const [inName, anywhere] = await Promise.all([
    index.listsBeginning(NAME + text, MAX_CONTINUATIONS),
    index.listsBeginning(WORD + text, MAX_CONTINUATIONS),
  ]);
  return { inName, anywhere };
}

async function groupsOf(index: SearchIndex, { words }: ParsedQuery, isThorough: boolean): Promise<Groups[]> {
  const spelt = words.map(({ text, corrections }) => [text, ...corrections]);
  const keys = spelt.flat().flatMap((word) => [NAME + word, WORD + word]);
  const lists = new Map((await index.lists([...new Set(keys)])).map((list) => [list.key, list]));
  const pick = (kind: string, among: readonly string[]) =>
    among.flatMap((word) => lists.get(kind + word) ?? []);
  return Promise.all(
    words.map(async ({ text, isUnfinished }, n) => {
      const more = isUnfinished ? await continuations(index, text, isThorough) : { inName: [], anywhere: [] };
      return {
        inName: [...pick(NAME, spelt[n] ?? []), ...more.inName],
        anywhere: [...pick(WORD, spelt[n] ?? []), ...more.anywhere],
      };
    }),
  );
}

/** The places of found apps in the index, with the query that scores them: as typed, or corrected. */
type Hits = Map<Place, ParsedQuery>;

function add(hits: Hits, query: ParsedQuery, places: readonly Place[]): void {
  for (const place of places) {
    if (hits.size < MAX_HITS && !hits.has(place)) hits.set(place, query);
  }
}

/** Adds apps that have all words in their name and, when those are too few, in any of their texts. */
async function addByWords(
  index: SearchIndex,
  hits: Hits,
  query: ParsedQuery,
  { within, isThorough }: { within: List | null; isThorough: boolean },
): Promise<void> {
  if (query.words.length === 0) return;
  const groups = await groupsOf(index, query, isThorough);
  const filter = within ? [[within]] : [];
  for (const kind of ['inName', 'anywhere'] as const) {
    if (hits.size >= MAX_HITS) return;
    add(hits, query, await index.inEvery([...groups.map((group) => group[kind]), ...filter], MAX_HITS));
  }
}

/** Spelling corrections of a word: those with the fewest edits first, and of them those that most apps use. */
async function correctionsOf(index: SearchIndex, text: string): Promise<string[]> {
  const max = maxEdits(text);
  if (max === 0) return [];
  const near = (await index.wordsSpelt([...spellingsOf(text)]))
    .map((word) => ({ word, edits: editDistance(text, word, max) }))
    .filter(({ edits }) => edits > 0 && edits <= max);
  const lists = await index.lists(near.map(({ word }) => WORD + word));
  const uses = new Map(lists.map(({ key, apps }) => [key.slice(WORD.length), apps]));
  return near
    .map(({ word, edits }) => ({ word, edits, apps: uses.get(word) ?? 0 }))
    .sort((a, b) => a.edits - b.edits || b.apps - a.apps || (a.word < b.word ? -1 : 1))
    .slice(0, MAX_CORRECTIONS)
    .map(({ word }) => word);
}

/** The query with the corrections of each word; null when there are none. */
async function correctSpelling(index: SearchIndex, query: ParsedQuery): Promise<ParsedQuery | null> {
  const words = await Promise.all(
    query.words.map(
      async (typed): Promise<QueryWord> => ({
        ...typed,
        corrections: new Set(await correctionsOf(index, typed.text)),
      }),
    ),
  );
  return words.some(({ corrections }) => corrections.size > 0) ? { ...query, words } : null;
}

/**
 * Hits the apps that match a query, in no order: at most 500, and the best ones when more match.
 * @param q any text
 */
export async function search(
  index: SearchIndex,
  q: string,
  category: Category | null,
): Promise<readonly SearchHit[]> {
  const query = parseQuery(q);
  const hits: Hits = new Map();
  const [within = null] = category === null ? [] : await index.lists([categoryKey(category)]);
  if (category !== null && within === null) return [];
  const phrase = query.words.map(({ text }) => text).join(' ');
  const [identified, named] = await Promise.all([
    query.id === null ? [] : index.identified(query.id, within, MAX_BY_START),
    phrase === '' ? [] : index.named(phrase, within, MAX_BY_START),
  ]);
  add(hits, query, [...identified, ...named]);
  await addByWords(index, hits, query, { within, isThorough: false });
  if (hits.size < MIN_HITS) {
    await addByWords(index, hits, query, { within, isThorough: true });
    const corrected = await correctSpelling(index, query);
    if (corrected) await addByWords(index, hits, corrected, { within, isThorough: true });
  }
  const candidates = await index.candidates([...hits.keys()]);
  return candidates.map((candidate) => ({
    ...candidate,
    score: scoreOf(hits.get(candidate.place) ?? query, candidate),
  }));
}
