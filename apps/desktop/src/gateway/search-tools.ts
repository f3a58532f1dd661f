import type { Offered } from './offered-tools.ts';
import type { ToolRefresh } from './tool-refresh.ts';

/** Most results of a search: each includes its schema. */
const MAX_FOUND = 10;
const MAX_WORDS = 20;

/** Weights of a word by field. Names weigh more than descriptions. */
const WEIGHTS = { name: 8, app: 5, description: 2, part: 0.5 };

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

type Fields = { name: string[]; app: string[]; description: string[] };

const fieldsOf = ({ app, tool }: Offered): Fields => ({
  name: wordsOf(`${tool.id} ${tool.title}`),
  app: wordsOf(`${app.appId} ${app.manifest.name}`),
  description: wordsOf(tool.description),
});

/** How well a word matches a list: a whole word, a prefix, or not at all. */
function fitOf(word: string, words: readonly string[]): number {
  if (words.includes(word)) return 1;
  return word.length > 2 &&
    words.some((candidate) => candidate.startsWith(word) || word.startsWith(`${candidate}s`))
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

/** Inverse document frequency: rare words weigh more. */
function rarityOf(query: readonly string[], all: readonly Fields[]): Map<string, number> {
  const contains = (fields: Fields, word: string) =>
    Object.values(fields).some((words) => fitOf(word, words) > 0);
  return new Map(
    query.map((word) => {
      const matching = all.filter((fields) => contains(fields, word)).length;
      return [word, Math.log(1 + all.length / (1 + matching))];
    }),
  );
}

/**
 * Searches tools, best match first; ties are sorted by name.
 * @param app id of the only app to search; all if omitted
 */
function searchTools(offered: readonly Offered[], query: string, app?: string): Offered[] {
  const among = app === undefined ? offered : offered.filter((tool) => tool.app.appId === app);
  const words = [...new Set(wordsOf(query))].slice(0, MAX_WORDS);
  const fields = among.map(fieldsOf);
  const rarity = rarityOf(words, fields);
  return among
    .map((tool, index) => ({ tool, score: scoreOf(fields[index] as Fields, words, rarity) }))
    .filter(({ score }) => score > 0 || words.length === 0)
    .sort((a, b) => b.score - a.score || (a.tool.definition.name < b.tool.definition.name ? -1 : 1))
    .slice(0, MAX_FOUND)
    .map(({ tool }) => tool);
}

/**
 * Searches the tools of a project, and asks the servers of those found that have not listed them yet.
 * @param offered the tools now
 * @returns those found, the best first, as they are then
 */
export async function findListed(
  offered: () => Offered[],
  { query, app, project }: { query: string; app?: string | undefined; project: string },
  refresh: ToolRefresh,
): Promise<Offered[]> {
  const found = searchTools(offered(), query, app);
  const apps = found.map(({ app: { appId } }) => appId);
  await refresh.wait(apps, project);
  const now = new Map(offered().map((tool) => [tool.definition.name, tool]));
  return found.flatMap(({ definition }) => now.get(definition.name) ?? []);
}
