import { defaultFilter } from 'cmdk';
import { type Command, KINDS, type Kind } from './commands.ts';

/** Most commands of one kind that are listed: fewer while the query is empty. */
const MAX_RESULTS = 20;
const MAX_WITHOUT_QUERY = 6;

/** Lowest score of commands found by full-text search. It ranks them before weak fuzzy matches of names. */
const MIN_GIVEN = 0.3;

/** Kinds that are listed completely while the query is empty. */
const LISTED_COMPLETELY: readonly Kind[] = ['action', 'page'];

export type CommandGroup = { kind: Kind; commands: readonly Command[] };

/** Results below this share of the best score are weak fuzzy matches and dropped. */
const MIN_SHARE = 0.05;

/** The score of a command for a query, from 0 to 1. */
const scoreOf = ({ label, hint }: Command, query: string, isGiven: boolean): number =>
  query === '' ? 1 : Math.max(defaultFilter(label, query, hint ? [hint] : []), isGiven ? MIN_GIVEN : 0);

function limitOf(kind: Kind, query: string, isOnly: boolean): number {
  if (query !== '' || isOnly) return MAX_RESULTS;
  return LISTED_COMPLETELY.includes(kind) ? Number.POSITIVE_INFINITY : MAX_WITHOUT_QUERY;
}

/**
 * Finds commands, grouped by kind. Groups and their commands are sorted by best score.
 * @param only the kind to search; null for all
 * @param given ids of commands that a full-text search found, whatever their labels
 */
export function findCommands(
  commands: readonly Command[],
  text: string,
  only: Kind | null = null,
  given: ReadonlySet<string> = new Set(),
): CommandGroup[] {
  const query = text.trim();
  const scored = commands
    .filter(({ kind }) => only === null || kind === only)
    .map((command) => ({ command, score: scoreOf(command, query, given.has(command.id)) }));
  const best = scored.reduce((max, { score }) => Math.max(max, score), 0);
  const byKind = Map.groupBy(
    scored.filter(({ score }) => score > best * MIN_SHARE).sort((a, b) => b.score - a.score),
    ({ command }) => command.kind,
  );
  // A map keeps insertion order: the kind of the best command comes first.
  const kinds = query === '' ? KINDS.filter((kind) => byKind.has(kind)) : [...byKind.keys()];
  return kinds.map((kind) => ({
    kind,
    commands: (byKind.get(kind) ?? [])
      .slice(0, limitOf(kind, query, only !== null))
      .map(({ command }) => command),
  }));
}
