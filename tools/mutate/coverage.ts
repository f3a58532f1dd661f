import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';

type Range = { startOffset: number; endOffset: number; count: number };
type Script = { url: string; functions: readonly { ranges: readonly Range[] }[] };

/** Whether the innermost range with an offset was run: V8 lists ranges of a function from the outside in. */
function hasRun(script: Script, offset: number): boolean {
  let innermost: Range | undefined;
  for (const range of script.functions.flatMap(({ ranges }) => ranges)) {
    if (range.startOffset > offset || offset >= range.endOffset) continue;
    const isInner =
      !innermost || range.endOffset - range.startOffset <= innermost.endOffset - innermost.startOffset;
    if (isInner) innermost = range;
  }
  return (innermost?.count ?? 0) > 0;
}

/** The scripts of a file that Node wrote; none when the worker was ended while it wrote. */
function scriptsIn(file: string): Script[] {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { result: Script[] }).result;
  } catch {
    return [];
  }
}

/**
 * What the run of a test file has executed, from the files that Node wrote (NODE_V8_COVERAGE), of the sources with these URLs.
 * @param test the URL of the test file
 * @returns null when the worker of the test did not write it whole: on a busy machine it may be ended before
 */
export async function readCoverage(
  folder: string,
  test: string,
  urls: ReadonlySet<string>,
): Promise<readonly Script[] | null> {
  const files = await Array.fromAsync(glob(`${folder}/*.json`));
  const scripts = files.flatMap(scriptsIn);
  return scripts.some(({ url }) => url.startsWith(test)) ? scripts.filter(({ url }) => urls.has(url)) : null;
}

/** Whether a run executed the code at an offset of a source; a run of which nothing is known may have. */
export const covers = (scripts: readonly Script[] | null, url: string, offset: number): boolean =>
  scripts?.some((script) => script.url === url && hasRun(script, offset)) ?? true;
