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
} from '../../domain/listings/search/search-index.ts';
import { maxEdits, spellingsOf } from '../../domain/listings/search/spelling.ts';
import { isLight, synonymsOf } from '../../domain/listings/search/synonyms.ts';
import { formsOf, inflectedStem } from '../../domain/listings/search/word-forms.ts';
import { wordsOf } from '../../domain/listings/search/words.ts';
import { type ParsedQuery, type QueryWord, scoreOf } from './score.ts';

/** The part of a query that is read. Longer ones would only slow down the searches of others. */
const MAX_CHARACTERS = 200;
const MAX_WORDS = 8;

/** The most apps that a search hits. After some pages a user adds a word rather than reads on. */
const MAX_HITS = 500;

/** The most names and ids that begin with the query, in their order, so with the exact one. The best are found by the lists. */
const MAX_BY_START = 100;

/** When a search hits fewer apps, those with other forms of the words, with synonyms and with spelling corrections are added. */
const MIN_HITS = 10;

/** When it still hits fewer apps, those with only some of the words are added: at most so many for each choice of words. */
const MIN_ALL_WORDS = 4;
const MAX_PARTIAL = 50;

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
    words: words.map((text, n) => ({
      text,
      forms: new Set(),
      synonyms: new Set(),
      corrections: new Set(),
      isUnfinished: n === words.length - 1,
    })),
    missing: 0,
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

/** The lists of the Cyrillic or Greek words with the stem of a word. */
async function inflections(index: SearchIndex, { text, forms }: QueryWord): Promise<List[]> {
  const stem = forms.size > 0 ? null : inflectedStem(text);
  return stem === null ? [] : index.listsBeginning(WORD + stem, MAX_CONTINUATIONS);
}

async function groupsOf(index: SearchIndex, { words }: ParsedQuery, isThorough: boolean): Promise<Groups[]> {
  const spelt = words.map(({ text, forms, synonyms, corrections }) => [
    ...new Set([text, ...forms, ...synonyms, ...corrections]),
  ]);
  const keys = spelt.flat().flatMap((word) => [NAME + word, WORD + word]);
  const lists = new Map((await index.lists([...new Set(keys)])).map((list) => [list.key, list]));
  const pick = (kind: string, among: readonly string[]) =>
    among.flatMap((word) => lists.get(kind + word) ?? []);
  return Promise.all(
    words.map(async (word, n) => {
      const { text, isUnfinished } = word;
      const more = isUnfinished ? await continuations(index, text, isThorough) : { inName: [], anywhere: [] };
      const inflected = isThorough ? await inflections(index, word) : [];
      return {
        inName: [...pick(NAME, spelt[n] ?? []), ...more.inName],
        anywhere: [...pick(WORD, spelt[n] ?? []), ...more.anywhere, ...inflected],
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

/** The query with the other forms of each word. */
const withForms = (query: ParsedQuery): ParsedQuery => ({
  ...query,
  words: query.words.map((word) => ({ ...word, forms: formsOf(word.text) })),
});

/** The query with words for the same as well. */
const withSynonyms = (query: ParsedQuery): ParsedQuery => ({
  ...query,
  words: query.words.map((word) => ({ ...word, synonyms: synonymsOf(word.text) })),
});

/** The query with words that were typed as two, such as `time keeper`, as one; null when it has another number of words. */
function joined(query: ParsedQuery): ParsedQuery | null {
  const [first, second, ...others] = query.words;
  if (!first || !second || others.length > 0) return null;
  return { ...query, words: [{ ...second, text: first.text + second.text }] };
}

/** The query without the words that say nothing about an app; null when there are none, or only such. */
function withoutLight(query: ParsedQuery): ParsedQuery | null {
  const words = query.words.filter(({ text }) => !isLight(text));
  return words.length === 0 || words.length === query.words.length ? null : { ...query, words };
}

/** How much a word says about an app: the fewer have it, the more. A word that no app has tells none from another. */
function weightOf(group: Groups): number {
  const apps = group.anywhere.reduce((sum, list) => sum + list.apps, 0);
  return apps === 0 ? 0 : 1 / (1 + Math.log(1 + apps));
}

/** Adds apps that have only some of the words: all but one, then each alone. */
async function addByAnyWord(
  index: SearchIndex,
  hits: Hits,
  query: ParsedQuery,
  within: List | null,
): Promise<void> {
  const groups = await groupsOf(index, query, true);
  const parts = query.words
    .map((word, n) => ({ word, lists: groups[n]?.anywhere ?? [], weight: weightOf(groups[n] as Groups) }))
    .filter(({ weight }) => weight > 0);
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const choices = [
    parts,
    ...(parts.length > 2 ? parts.map((_, n) => parts.toSpliced(n, 1)) : []),
    ...parts.map((part) => [part]),
  ];
  const filter = within ? [[within]] : [];
  for (const chosen of choices) {
    if (chosen.length === 0) continue;
    const share = chosen.reduce((sum, { weight }) => sum + weight, 0) / total;
    // One word was left out at least, which no app has.
    const part = { ...query, words: chosen.map(({ word }) => word), missing: Math.max(1 - share, 0.01) };
    const lists = chosen.map((one) => one.lists);
    add(hits, part, await index.inEvery([...lists, ...filter], MAX_PARTIAL));
  }
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
 * Adds apps that have other words for what was typed: unfinished and inflected ones, without those that say nothing, corrected ones, words for
 * the same. The first query that finds an app scores it, so that the closest comes first. Last, apps with only some of the words.
 */
async function addMore(
  index: SearchIndex,
  hits: Hits,
  query: ParsedQuery,
  within: List | null,
): Promise<void> {
  const options = { within, isThorough: true };
  const content = withoutLight(query);
  const corrected = await correctSpelling(index, query);
  const meant = withForms((corrected && withoutLight(corrected)) ?? corrected ?? content ?? query);
  const closest = [query, withForms(query), joined(query), content && withForms(content), corrected];
  for (const other of [...closest, meant, withSynonyms(content ?? query), withSynonyms(meant)])
    if (other && hits.size < MIN_HITS) await addByWords(index, hits, other, options);
  // An id has no words that say something alone.
  if (hits.size >= MIN_ALL_WORDS || query.id !== null) return;
  if (query.words.length > 1) await addByAnyWord(index, hits, withSynonyms(meant), within);
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
  if (hits.size < MIN_HITS) await addMore(index, hits, query, within);
  const candidates = await index.candidates([...hits.keys()]);
  return candidates.map((candidate) => ({
    ...candidate,
    score: scoreOf(hits.get(candidate.place) ?? query, candidate),
  }));
}
