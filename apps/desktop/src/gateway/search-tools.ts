import type { Offered } from './offered-tools.ts';

/** Tools that one search answers with at most: each brings its schema. */
const MAX_FOUND = 10;
const MAX_WORDS = 20;

/** How much a word weighs by where it is found: what a thing is called says more than what is said of it. */
const WEIGHTS = { name: 8, app: 5, description: 2, part: 0.5 };

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

type Fields = { name: string[]; app: string[]; description: string[] };

const fieldsOf = ({ app, tool }: Offered): Fields => ({
  name: wordsOf(`${tool.id} ${tool.name}`),
  app: wordsOf(`${app.appId} ${app.manifest.name}`),
  description: wordsOf(tool.description),
});

/** How well one word fits a list: whole, as the beginning of a word, or not at all. */
function fitOf(word: string, words: readonly string[]): number {
  if (words.includes(word)) return 1;
  return word.length > 2 && words.some((one) => one.startsWith(word) || word.startsWith(`${one}s`))
    ? WEIGHTS.part
    : 0;
}

function scoreOf(fields: Fields, query: readonly string[], rarity: ReadonlyMap<string, number>): number {
  return query.reduce((sum, word) => {
    const fit = Math.max(
      WEIGHTS.name * fitOf(word, fields.name),
      WEIGHTS.app * fitOf(word, fields.app),
      WEIGHTS.description * fitOf(word, fields.description),
    );
    return sum + fit * (rarity.get(word) ?? 1);
  }, 0);
}

/** A word that few tools have says more than one that all have. */
function rarityOf(query: readonly string[], all: readonly Fields[]): Map<string, number> {
  const holds = (fields: Fields, word: string) =>
    Object.values(fields).some((words) => fitOf(word, words) > 0);
  return new Map(
    query.map((word) => {
      const having = all.filter((fields) => holds(fields, word)).length;
      return [word, Math.log(1 + all.length / (1 + having))];
    }),
  );
}

/**
 * The tools that a query means, best first; those of equal rank by their names.
 * @param app id of the only app to search; all when it is not given
 */
export function searchTools(offered: readonly Offered[], query: string, app?: string): Offered[] {
  const among = app === undefined ? offered : offered.filter((one) => one.app.appId === app);
  const words = [...new Set(wordsOf(query))].slice(0, MAX_WORDS);
  const fields = among.map(fieldsOf);
  const rarity = rarityOf(words, fields);
  return among
    .map((one, index) => ({ one, score: scoreOf(fields[index] as Fields, words, rarity) }))
    .filter(({ score }) => score > 0 || words.length === 0)
    .sort((a, b) => b.score - a.score || (a.one.definition.name < b.one.definition.name ? -1 : 1))
    .slice(0, MAX_FOUND)
    .map(({ one }) => one);
}
