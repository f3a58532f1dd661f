import { readFile } from 'node:fs/promises';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/**
 * Two findings are no faults here. `require` of a package written as ES modules works in every Node that `engines` admits, and
 * the resolution of Node 10 knows no `exports` at all.
 */
const isFault = (problem: Problem): boolean =>
  problem.kind !== 'CJSResolvesToESM' &&
  !('resolutionKind' in problem && problem.resolutionKind === 'node10');

/** What publint and Are the types wrong? find in a tarball, a line each. */
export async function faultsOf(tarball: string): Promise<string[]> {
  const bytes = new Uint8Array(await readFile(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  const lines = messages
    .filter(({ type }) => type !== 'suggestion')
    .map((message) => `publint: ${formatMessage(message, pkg)}`);
  // A program has no entries that others import, and no types.
  if (!pkg.exports) return lines;
  const analysis = await checkPackage(createPackageFromTarballData(bytes));
  const problems = analysis.types ? analysis.problems.filter(isFault) : [];
  return [...lines, ...problems.map((problem) => `types: ${JSON.stringify(problem)}`)];
}
