import type { Issue } from '@svc/contracts';
import { hasErrors } from '@svc/validator';
import { type CheckedApp, checkApp, type Mode } from '../check-app.ts';
import { Failure } from '../failure.ts';
import { openApp } from '../io/open-app.ts';
import { escapeText, jsonLine } from '../present/escape.ts';
import { reportFailure } from '../present/failure.ts';
import { count } from '../present/fields.ts';
import { issueCount, issueLines } from '../present/issues.ts';
import type { World } from '../world.ts';

export type ValidateOptions = { mode: Mode; json?: boolean };

/** Exactly these four, in this order, whatever else an issue may carry. */
const publicIssue = ({ code, level, path, message }: Issue): Issue => ({ code, level, path, message });

const verdictLine = (shown: string, { issues }: CheckedApp): string =>
  jsonLine({ path: shown, ok: !hasErrors(issues), issues: issues.map(publicIssue) });

function report({ terminal }: World, shown: string, checked: CheckedApp): void {
  terminal.out(`${escapeText(shown)}: ${issueCount(checked.issues)}\n`);
  terminal.out(issueLines(terminal, checked.issues, checked.lineOf));
}

/** Checks one PATH and reports on it. Returns its exit code; what cannot be read must not hide what can. */
async function validateOne(world: World, shown: string, options: ValidateOptions): Promise<number> {
  try {
    const checked = checkApp(await openApp(world.cwd, shown), options.mode);
    if (options.json) world.terminal.out(verdictLine(shown, checked));
    else report(world, shown, checked);
    return hasErrors(checked.issues) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return reportFailure(world.terminal, error);
  }
}

/**
 * `svc validate`: checks folders, manifests and bundles, and reports on each.
 * @returns 0 when all are clean or have warnings only, 1 when one has errors, 2 when one could not be read
 */
export async function validate(
  world: World,
  paths: readonly string[],
  options: ValidateOptions,
): Promise<number> {
  const codes: number[] = [];
  for (const shown of paths) codes.push(await validateOne(world, shown, options));
  if (!options.json && paths.length > 1) {
    const good = codes.filter((code) => code === 0).length;
    world.terminal.out(`${good} of ${count(paths.length, 'app')} without errors\n`);
  }
  return Math.max(...codes);
}
