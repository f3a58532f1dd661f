import type { Issue } from '@svc/contracts';
import { hasErrors } from '@svc/validator';
import { type CheckedApp, checkApp, type Mode } from '../check-app.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../command-record.ts';
import { CommandError, usageError } from '../failure.ts';
import { openApp } from '../io/open-app.ts';
import type { OpenedApp } from '../io/opened-app.ts';
import { jsonLine } from '../present/escape.ts';
import { reportFailure } from '../present/failure.ts';
import { count } from '../present/fields.ts';
import { verdictLine } from '../present/issues.ts';
import type { SarifSubject } from '../present/sarif.ts';

type ValidateOptions = {
  mode: Mode;
  json?: boolean;
  sarif?: boolean;
  fix?: boolean;
  watch?: boolean;
};

/** What became of one PATH: what was found in it and what stays out of its bundle, or why it could not be read. */
type Outcome = { code: number; subject?: SarifSubject; leftOut?: readonly string[]; failure?: string };

/** Exactly these four, in this order, whatever else an issue may carry. */
const publicIssue = ({ code, level, path, message }: Issue): Issue => ({ code, level, path, message });

const jsonVerdict = (shown: string, { issues }: CheckedApp): string =>
  jsonLine({ path: shown, ok: !hasErrors(issues), issues: issues.map(publicIssue) });

const KINDS: Readonly<Record<OpenedApp['kind'], SarifSubject['kind']>> = {
  manifest: 'manifest',
  folder: 'folder',
  unpackable: 'folder',
  bundle: 'bundle',
  oversized: 'bundle',
};

/** What was fixed goes to where the findings do not, when a program reads those. */
async function fix(
  { cwd, terminal }: CommandContext,
  shown: string,
  options: ValidateOptions,
): Promise<void> {
  const [{ fixFile }, { fixedLines }] = await Promise.all([
    import('../manifest-file/fix-file.ts'),
    import('../present/fixed.ts'),
  ]);
  const text = fixedLines(terminal, await fixFile(cwd, shown, options.mode));
  if (options.json || options.sarif) terminal.err(text);
  else terminal.out(text);
}

async function report(
  { terminal }: CommandContext,
  { shown, kind, checked }: SarifSubject,
  options: ValidateOptions,
) {
  if (options.sarif) return;
  if (options.json) return terminal.out(jsonVerdict(shown, checked));
  if (checked.issues.length === 0) return terminal.out(verdictLine(shown, []));
  const { findingsText } = await import('../present/findings.ts');
  terminal.out(findingsText(terminal, { shown, isManifest: kind === 'manifest' }, checked));
}

/** Checks one PATH and reports on it. What cannot be read must not hide what can. */
async function validateOne(world: CommandContext, shown: string, options: ValidateOptions): Promise<Outcome> {
  try {
    if (options.fix) await fix(world, shown, options);
    const opened = await openApp(world.cwd, shown, 'check');
    const subject = {
      shown,
      kind: KINDS[opened.kind],
      checked: await checkApp(opened, { mode: options.mode }),
    };
    await report(world, subject, options);
    const leftOut = 'leftOut' in opened ? opened.leftOut.map(({ path }) => path) : [];
    return { code: hasErrors(subject.checked.issues) ? 1 : 0, subject, leftOut };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { code: reportFailure(world.terminal, error), failure: error.message };
  }
}

/** Checks every PATH once. */
async function round(
  world: CommandContext,
  paths: readonly string[],
  options: ValidateOptions,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const shown of paths) outcomes.push(await validateOne(world, shown, options));
  if (options.sarif) await reportSarif(world, outcomes);
  else if (!options.json && paths.length > 1) {
    const good = outcomes.filter(({ code }) => code === 0).length;
    world.terminal.out(`${good} of ${count(paths.length, 'app')} without errors\n`);
  }
  return outcomes;
}

async function reportSarif({ cwd, terminal }: CommandContext, outcomes: readonly Outcome[]): Promise<void> {
  const [{ sarifDocument }, { versionOf }] = await Promise.all([
    import('../present/sarif.ts'),
    import('../version.ts'),
  ]);
  const subjects = outcomes.flatMap(({ subject }) => subject ?? []);
  const unreadable = outcomes.flatMap(({ failure }) => failure ?? []);
  terminal.out(jsonLine(sarifDocument({ cwd, version: versionOf(), subjects, unreadable })));
}

/** Checks until the user has had enough. What is wrong with an app is shown each time, and is no failure of the watch. */
async function watch(
  world: CommandContext,
  paths: readonly string[],
  options: ValidateOptions,
): Promise<number> {
  const { watchPaths } = await import('../io/watch-paths.ts');
  const { roundHead } = await import('../present/watching.ts');
  await watchPaths(world, paths, async () => {
    if (!options.json) world.terminal.out(roundHead(world, paths));
    const outcomes = await round(world, paths, options);
    return outcomes.map(({ leftOut }) => leftOut ?? []);
  });
  return 0;
}

/**
 * `svc validate`: checks folders, manifests and bundles, and reports on each.
 * @returns 0 when all are clean or have warnings only, 1 when one has errors, 2 when one could not be read; a watch that
 * was ended returns 0
 * @throws CommandError of wrong use for options that exclude each other
 */
async function validate(
  world: CommandContext,
  paths: readonly string[],
  options: ValidateOptions,
): Promise<number> {
  if (options.json && options.sarif)
    throw usageError('--json and --sarif are two forms of one answer: choose one.');
  if (options.watch && options.sarif)
    throw usageError('--sarif makes one document, and --watch never ends: choose one.');
  if (options.watch) return watch(world, paths, options);
  const outcomes = await round(world, paths, options);
  return Math.max(...outcomes.map(({ code }) => code));
}

/** How the command line reads it. */
export const command = defineCommand<[string[]], ValidateOptions>({
  arguments: [{ name: '<path...>', help: 'a folder, a plugin.json or a bundle' }],
  options: [
    {
      flags: '--mode <mode>',
      help: 'check for a store, or for development',
      choices: ['store', 'dev'],
      default: 'store',
    },
    { flags: '--json', help: 'one line of JSON for each path' },
    { flags: '--sarif', help: 'one SARIF 2.1.0 document, as code scanning reads it' },
    { flags: '--fix', help: 'fix in plugin.json what has one right answer' },
    { flags: '--watch', help: 'check again after every change, until Ctrl-C' },
  ],
  examples: ['validate app', 'validate app --fix', 'validate app --sarif > svc.sarif'],
  run: (context, [paths], options) => validate(context, paths, options),
});
