import type { Issue } from '@svc/contracts';
import { count } from '@svc/text/quantity';
import { hasErrors } from '@svc/validator';
import { type CheckedApp, checkApp, type Mode } from '../check-app.ts';
import { type CommandContext, defineCommand } from '../command-record.ts';
import { CommandError, failed, usageError } from '../failure.ts';
import { openApp } from '../io/open-app.ts';
import type { OpenedApp } from '../io/opened-app.ts';
import { reportFailure } from '../present/failure.ts';
import type { SarifSubject } from '../present/sarif.ts';
import { jsonLine, verdictLine } from '../present/text.ts';

type ValidateOptions = {
  mode: Mode;
  json?: boolean;
  sarif?: boolean;
  fix?: boolean;
  watch?: boolean;
  /** Compares the tools with those that the server lists. */
  live?: boolean;
};

/** The result for one PATH: its findings and the files left out of its bundle, or why it could not be read. */
type Outcome = { code: number; subject?: SarifSubject; leftOut?: readonly string[]; failure?: string };

/** Exactly these four fields, in this order. */
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

/** Fixes the manifest. With `--json` or `--sarif` the report goes to standard error, since a program reads standard output. */
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

/** Checks an app, with `--live` also against the tools of its server. @throws CommandError when these cannot be listed */
async function checkedApp(
  context: CommandContext,
  opened: OpenedApp,
  { mode, live }: ValidateOptions,
): Promise<CheckedApp> {
  const checked = await checkApp(opened, { mode });
  if (!live || hasErrors(checked.issues)) return checked;
  const [{ asManifest }, { liveTools, namesOf }] = await Promise.all([
    import('@svc/validator/as-manifest'),
    import('../live-tools.ts'),
  ]);
  const listed = await liveTools(context, asManifest(checked.manifest, 'warn'));
  if ('reason' in listed) throw failed(`The tools of the server cannot be listed: ${listed.reason}`);
  return checkApp(opened, { mode, served: namesOf(listed.tools) });
}

/** Checks one PATH and reports on it. A PATH that cannot be read does not stop the others. */
async function validateOne(
  context: CommandContext,
  shown: string,
  options: ValidateOptions,
): Promise<Outcome> {
  try {
    if (options.fix) await fix(context, shown, options);
    const opened = await openApp(context.cwd, shown, 'check');
    const subject = {
      shown,
      kind: KINDS[opened.kind],
      checked: await checkedApp(context, opened, options),
    };
    await report(context, subject, options);
    const leftOut = 'leftOut' in opened ? opened.leftOut.map(({ path }) => path) : [];
    return { code: hasErrors(subject.checked.issues) ? 1 : 0, subject, leftOut };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { code: reportFailure(context.terminal, error), failure: error.message };
  }
}

/** Checks every PATH once. */
async function round(
  context: CommandContext,
  paths: readonly string[],
  options: ValidateOptions,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const shown of paths) outcomes.push(await validateOne(context, shown, options));
  if (options.sarif) await reportSarif(context, outcomes);
  else if (!options.json && paths.length > 1) {
    const passed = outcomes.filter(({ code }) => code === 0).length;
    context.terminal.out(`${passed} of ${count(paths.length, 'app')} without errors\n`);
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

/** Checks after every change until Ctrl-C. Errors in an app do not fail the watch. */
async function watch(
  context: CommandContext,
  paths: readonly string[],
  options: ValidateOptions,
): Promise<number> {
  const { watchPaths } = await import('../io/watch-paths.ts');
  const { roundHead } = await import('../present/watching.ts');
  await watchPaths(context, paths, async () => {
    if (!options.json) context.terminal.out(roundHead(context, paths));
    const outcomes = await round(context, paths, options);
    return outcomes.map(({ leftOut }) => leftOut ?? []);
  });
  return 0;
}

/**
 * `svc validate`: checks folders, manifests and bundles, and reports on each.
 * @returns 0 when there are no errors, 1 when an app has errors, 2 when a PATH could not be read; 0 after `--watch`
 * @throws CommandError with exit code 2 for options that exclude each other
 */
export const command = defineCommand<[string[]], ValidateOptions>({
  arguments: [{ name: '<path...>', help: 'a folder, a plugin.json or a bundle' }],
  options: [
    {
      flags: '--mode <mode>',
      help: 'check for a store, or for development',
      choices: ['store', 'dev'],
      default: 'store',
    },
    { flags: '--json', help: 'print one line of JSON per path' },
    { flags: '--sarif', help: 'print a SARIF 2.1.0 document, for code scanning' },
    { flags: '--fix', help: 'fix findings in plugin.json that have only one fix' },
    { flags: '--watch', help: 'check again after every change' },
    {
      flags: '--live',
      help: 'list the tools of the server, and report those it does not have (token: SVC_MCP_TOKEN)',
    },
  ],
  examples: ['validate app', 'validate app --fix', 'validate app --sarif > svc.sarif'],
  async run(context, [paths], options) {
    if (options.json && options.sarif) throw usageError('--json cannot be used with --sarif.');
    if (options.watch && options.sarif) throw usageError('--sarif cannot be used with --watch.');
    if (options.watch) return watch(context, paths, options);
    const outcomes = await round(context, paths, options);
    return Math.max(...outcomes.map(({ code }) => code));
  },
});
