import { readFile } from 'node:fs/promises';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/**
 * Ignores two kinds of findings: `require` of ES modules works in every Node of `engines`, and the resolution of Node 10 does not
 * support `exports`.
 */
const isFault = (problem: Problem): boolean =>
  problem.kind !== 'CJSResolvesToESM' &&
  !('resolutionKind' in problem && problem.resolutionKind === 'node10');

/** The findings of publint and *Are the types wrong?* for a tarball, a line each. */
export async function faultsOf(tarball: string): Promise<string[]> {
  const bytes = new Uint8Array(await readFile(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  const lines = messages
    .filter(({ type }) => type !== 'suggestion')
    .map((message) => `publint: ${formatMessage(message, pkg)}`);
  // A program has no exports and no types.
  if (!pkg.exports) return lines;
  const analysis = await checkPackage(createPackageFromTarballData(bytes));
  const problems = analysis.types ? analysis.problems.filter(isFault) : [];
  return [...lines, ...problems.map((problem) => `types: ${JSON.stringify(problem)}`)];
}
