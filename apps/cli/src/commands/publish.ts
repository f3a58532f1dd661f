import type { Issue, PublishResult } from '@svc/contracts';
import type { CommandContext } from '../command-context.ts';
import { connectAsDeveloper, type StoreOption } from '../connect.ts';
import { openApp } from '../io/open-app.ts';
import type { Terminal } from '../io/terminal.ts';
import { changeLines } from '../present/changes.ts';
import { escapeText } from '../present/escape.ts';
import { fieldLines, headline } from '../present/fields.ts';
import { issueLines } from '../present/issues.ts';
import { reasonText } from '../present/reasons.ts';
import { STATES } from '../present/states.ts';
import { requireSound } from '../require-sound.ts';

export type PublishOptions = StoreOption;

/** What the store found beyond the findings that have been shown already. */
const newIssues = (found: readonly Issue[], shown: readonly Issue[]): Issue[] =>
  found.filter(({ code, path }) => !shown.some((issue) => issue.code === code && issue.path === path));

function reportReview(terminal: Terminal, { reasons, appId, version, reviewUrl }: PublishResult): void {
  terminal.out('  A person looks at it before it is published, because:\n');
  for (const reason of reasons) {
    terminal.out(`    ${escapeText(reason)}: ${escapeText(reasonText(reason))}\n`);
  }
  terminal.out(
    fieldLines(terminal, [
      ['follow it', `svc status ${appId} ${version}`],
      ['or at', reviewUrl],
    ]),
  );
}

function report(terminal: Terminal, result: PublishResult, shown: readonly Issue[]): void {
  const { name, mood, meaning } = STATES[result.status];
  terminal.out(headline(terminal, mood, name, `${result.appId} ${result.version}`));
  if (result.status === 'in_review') reportReview(terminal, result);
  else terminal.out(`  ${meaning}\n`);
  const { baseVersion, changes } = result.permissionDiff;
  // A first version changes nothing that users agreed to.
  if (baseVersion !== null && changes.length > 0) {
    terminal.out(`  Changes from ${escapeText(baseVersion)}:\n${changeLines(terminal, changes)}`);
  }
  terminal.out(issueLines(terminal, newIssues(result.issues, shown)));
}

/**
 * `svc publish`: checks an app as the store will, then uploads it.
 * @returns 0 when the store took it, 1 when the checks here find errors
 * @throws StoreError when the store refuses it
 */
export async function publish(world: CommandContext, path: string, options: PublishOptions): Promise<number> {
  const { terminal, cwd } = world;
  const client = await connectAsDeveloper(world, options);
  const sound = await requireSound(terminal, path, await openApp(cwd, path, 'keep'), client);
  if (sound === null) return 1;
  const result = await client.publish(sound.bytes);
  report(terminal, result, sound.issues);
  return 0;
}
