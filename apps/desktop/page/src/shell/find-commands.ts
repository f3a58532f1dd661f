import { defaultFilter } from 'cmdk';
import { type Command, KINDS, type Kind } from './commands.ts';

/** Commands of one kind that are listed: fewer while nothing is typed, as more is a matter of typing. */
const MAX_FOUND = 20;
const MAX_UNASKED = 6;

/** What is found elsewhere comes before names in which the letters merely stand in that order. */
const MIN_GIVEN = 0.3;

/** Kinds that are listed in full while nothing is typed. */
const WHOLE: readonly Kind[] = ['action', 'page'];

export type Found = { kind: Kind; commands: readonly Command[] };

/** What is worth less than this part of the best has the letters of the query merely in their order. */
const MIN_SHARE = 0.05;

/** What a command is worth for a query, from 0 to 1. */
const scoreOf = ({ label, hint }: Command, query: string, isGiven: boolean): number =>
  query === '' ? 1 : Math.max(defaultFilter(label, query, hint ? [hint] : []), isGiven ? MIN_GIVEN : 0);

function listed(kind: Kind, query: string, isOnly: boolean): number {
  if (query !== '' || isOnly) return MAX_FOUND;
  return WHOLE.includes(kind) ? Number.POSITIVE_INFINITY : MAX_UNASKED;
}

/**
 * The commands that a query means, by kind: the kind of the best one first, and the best first in each.
 * @param only the kind to look among; all when it is null
 * @param given ids that are found whatever they are called
 */
export function findCommands(
  commands: readonly Command[],
  asked: string,
  only: Kind | null = null,
  given: ReadonlySet<string> = new Set(),
): Found[] {
  const query = asked.trim();
  const scored = commands
    .filter(({ kind }) => only === null || kind === only)
    .map((command) => ({ command, score: scoreOf(command, query, given.has(command.id)) }));
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  const byKind = Map.groupBy(
    scored.filter(({ score }) => score > best * MIN_SHARE).sort((a, b) => b.score - a.score),
    ({ command }) => command.kind,
  );
  // A map keeps the order in which its keys came: that of the best of each kind.
  const kinds = query === '' ? KINDS.filter((kind) => byKind.has(kind)) : [...byKind.keys()];
  return kinds.map((kind) => ({
    kind,
    commands: (byKind.get(kind) ?? [])
      .slice(0, listed(kind, query, only !== null))
      .map(({ command }) => command),
  }));
}
