import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const SRC = join(import.meta.dirname, '../../../src');

/** Files with queries that a running store does not send. */
const CHILD_PROGRAMS = ['adapters/**', 'composition/commands/**', 'composition/open-parts.ts'];

/** Functions that only migrations call. */
const ONLY_MIGRATIONS = ['bulkIndexApp', 'countAll'];

/** Code that starts a query, or changes one. */
const QUERY = /\.(?:selectFrom|insertInto|updateTable|deleteFrom|where|onConflict)\(|\bsql(?:<\w+>)?`/g;

type Range = { startOffset: number; endOffset: number; count: number };
type Covered = { url: string; functions: { functionName: string; ranges: Range[] }[] };

const sizeOf = ({ startOffset, endOffset }: Range): number => endOffset - startOffset;

/** The innermost coverage range of a file that contains an offset, and its function. */
function partAt({ functions }: Covered, offset: number) {
  const around = functions.flatMap(({ functionName, ranges }) =>
    ranges
      .filter((range) => range.startOffset <= offset && offset < range.endOffset)
      .map((range) => ({ functionName, ...range })),
  );
  return around.sort((a, b) => sizeOf(a) - sizeOf(b))[0];
}

function coverageIn(folder: string): Map<string, Covered> {
  const files = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  return new Map(files.flatMap(({ result }) => result.map((covered: Covered) => [covered.url, covered])));
}

/**
 * The places in the store's sources, as `file:line`, with queries that a program did not run.
 * @param folder its coverage, as written by NODE_V8_COVERAGE. Node strips types in place, so offsets are those of the source file
 */
export function unexercisedIn(folder: string): string[] {
  const coverage = coverageIn(folder);
  return globSync('**/*.ts', { cwd: SRC, exclude: CHILD_PROGRAMS }).flatMap((name) => {
    const file = join(SRC, name);
    const source = readFileSync(file, 'utf8');
    const covered = coverage.get(pathToFileURL(file).href);
    return [...source.matchAll(QUERY)].flatMap(({ index }) => {
      const part = covered && partAt(covered, index);
      if (part && (part.count > 0 || ONLY_MIGRATIONS.includes(part.functionName))) return [];
      return [`${relative(SRC, file)}:${source.slice(0, index).split('\n').length}`];
    });
  });
}
