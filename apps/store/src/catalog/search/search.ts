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
import { wordsOf } from '../../domain/listings/search/words.ts';
import { scoreOf, type TypedWord, type Wanted } from './score.ts';

/** What is read of a query: nobody types more, and what is read is paid for by everybody. */
const MAX_CHARACTERS = 200;
const MAX_WORDS = 8;

/** As many apps as a search finds at most. Who has read five pages will rather add a word than read the sixth. */
const MAX_FOUND = 500;

/** Of names and ids that begin as was typed, the first in their order: the exact one among them. The best come by their lists. */
const MAX_BY_START = 100;

/** When a search finds fewer, a few edits are allowed. */
const FEW = 10;

/** Words that a word may be the start of, and words that may have been meant instead. */
const MAX_CONTINUATIONS = 8;
const MAX_INSTEAD = 8;

/** An app that was found, and how well it answers. */
export type Found = Candidate & { score: number };

/** Reads what was typed: plain text, whatever it holds. */
export function wantedBy(q: string): Wanted {
  const typed = q.slice(0, MAX_CHARACTERS);
  const words = wordsOf(typed).slice(0, MAX_WORDS);
  return {
    id: typed.includes('.') ? typed.trim().toLowerCase() : null,
    words: words.map((text, n) => ({ text, instead: new Set(), isUnfinished: n === words.length - 1 })),
  };
}

/** The lists in which an app must be for one word: of its name alone, or of anything it says. */
type Groups = { inName: List[]; anywhere: List[] };

/** Lists of words that go on as a word begins. Short starts of names have a list each, all others are gathered. */
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

async function groupsOf(index: SearchIndex, { words }: Wanted, isThorough: boolean): Promise<Groups[]> {
  const spelt = words.map(({ text, instead }) => [text, ...instead]);
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

/** Where apps stand that were found, and by what they are ranked: as typed, or after a few edits. */
type Finds = Map<Place, Wanted>;

function add(finds: Finds, wanted: Wanted, places: readonly Place[]): void {
  for (const place of places) {
    if (finds.size < MAX_FOUND && !finds.has(place)) finds.set(place, wanted);
  }
}

/** Adds apps that have all words: in their name, and when that does not fill the search, anywhere. */
async function addByWords(
  index: SearchIndex,
  finds: Finds,
  wanted: Wanted,
  { within, isThorough }: { within: List | null; isThorough: boolean },
): Promise<void> {
  if (wanted.words.length === 0) return;
  const groups = await groupsOf(index, wanted, isThorough);
  const further = within ? [[within]] : [];
  for (const kind of ['inName', 'anywhere'] as const) {
    if (finds.size >= MAX_FOUND) return;
    add(finds, wanted, await index.inEvery([...groups.map((group) => group[kind]), ...further], MAX_FOUND));
  }
}

/** Words that may have been meant: those with the fewest edits, and of them those that most apps use. */
async function meantBy(index: SearchIndex, text: string): Promise<string[]> {
  const most = maxEdits(text);
  if (most === 0) return [];
  const near = (await index.wordsSpelt([...spellingsOf(text)]))
    .map((word) => ({ word, edits: editDistance(text, word, most) }))
    .filter(({ edits }) => edits > 0 && edits <= most);
  const lists = await index.lists(near.map(({ word }) => WORD + word));
  const uses = new Map(lists.map(({ key, apps }) => [key.slice(WORD.length), apps]));
  return near
    .map(({ word, edits }) => ({ word, edits, apps: uses.get(word) ?? 0 }))
    .sort((a, b) => a.edits - b.edits || b.apps - a.apps || (a.word < b.word ? -1 : 1))
    .slice(0, MAX_INSTEAD)
    .map(({ word }) => word);
}

/** The same words, each with those that may have been meant; null when there are none. */
async function forgive(index: SearchIndex, wanted: Wanted): Promise<Wanted | null> {
  const words = await Promise.all(
    wanted.words.map(
      async (typed): Promise<TypedWord> => ({ ...typed, instead: new Set(await meantBy(index, typed.text)) }),
    ),
  );
  return words.some(({ instead }) => instead.size > 0) ? { ...wanted, words } : null;
}

/**
 * The apps that answer a query, in no order: at most 500, those that do best when more match.
 * @param q anything
 */
export async function search(
  index: SearchIndex,
  q: string,
  category: Category | null,
): Promise<readonly Found[]> {
  const wanted = wantedBy(q);
  const finds: Finds = new Map();
  const [within = null] = category === null ? [] : await index.lists([categoryKey(category)]);
  if (category !== null && within === null) return [];
  const phrase = wanted.words.map(({ text }) => text).join(' ');
  const [identified, named] = await Promise.all([
    wanted.id === null ? [] : index.identified(wanted.id, within, MAX_BY_START),
    phrase === '' ? [] : index.named(phrase, within, MAX_BY_START),
  ]);
  add(finds, wanted, [...identified, ...named]);
  await addByWords(index, finds, wanted, { within, isThorough: false });
  if (finds.size < FEW) {
    await addByWords(index, finds, wanted, { within, isThorough: true });
    const forgiving = await forgive(index, wanted);
    if (forgiving) await addByWords(index, finds, forgiving, { within, isThorough: true });
  }
  const candidates = await index.candidates([...finds.keys()]);
  return candidates.map((candidate) => ({
    ...candidate,
    score: scoreOf(finds.get(candidate.place) ?? wanted, candidate),
  }));
}
