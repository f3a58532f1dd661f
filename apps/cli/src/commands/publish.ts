import type { Issue, PublishResult } from '@svc/contracts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connect, connectAsDeveloper, type StoreOption } from '../connect.ts';
import { usageError } from '../failure.ts';
import { codeFor, followVersion, isUndecided } from '../follow-version.ts';
import { openApp } from '../io/open-app.ts';
import { quiet, type Terminal } from '../io/terminal.ts';
import { allowedLines, changeLines } from '../present/changes.ts';
import { escapeText, jsonLine } from '../present/escape.ts';
import { fieldLines, headline, sizeOf } from '../present/fields.ts';
import { issueLines } from '../present/issues.ts';
import { transferProgress } from '../present/progress.ts';
import { reasonText } from '../present/reasons.ts';
import { STATES } from '../present/states.ts';
import { statusText } from '../present/status.ts';
import { previewOf } from '../publish-preview.ts';
import { requireSound, type SoundApp } from '../require-sound.ts';
import type { StoreClient } from '../store-client.ts';

type PublishOptions = StoreOption & { json?: boolean; dryRun?: boolean; wait?: boolean; watch?: boolean };

/** What the store found beyond the findings that have been shown already. */
const newIssues = (found: readonly Issue[], shown: readonly Issue[]): Issue[] =>
  found.filter(({ code, path }) => !shown.some((issue) => issue.code === code && issue.path === path));

/** The page of a published app, for people. */
const pageOf = (client: StoreClient, appId: string): string =>
  `${client.baseUrl}/apps/${encodeURIComponent(appId)}`;

function reportReview(terminal: Terminal, { reasons, appId, version, reviewUrl }: PublishResult): void {
  terminal.out('  A person looks at it before it is published, because:\n');
  for (const reason of reasons) {
    terminal.out(`    ${escapeText(reason)}: ${escapeText(reasonText(reason))}\n`);
  }
  terminal.out(
    fieldLines(terminal, [
      ['follow it', `svc status ${appId} ${version} --watch`],
      ['or at', reviewUrl],
    ]),
  );
}

function report(
  terminal: Terminal,
  client: StoreClient,
  result: PublishResult,
  shown: readonly Issue[],
): void {
  const { name, mood, meaning } = STATES[result.status];
  terminal.out(headline(terminal, mood, name, `${result.appId} ${result.version}`));
  if (result.status === 'in_review') reportReview(terminal, result);
  else terminal.out(`  ${meaning}\n`);
  if (result.status === 'published')
    terminal.out(fieldLines(terminal, [['page', pageOf(client, result.appId)]]));
  const { baseVersion, changes } = result.permissionDiff;
  // A first version changes nothing that users agreed to.
  if (baseVersion !== null && changes.length > 0) {
    terminal.out(`  Changes from ${escapeText(baseVersion)}:\n${changeLines(terminal, changes)}`);
  }
  terminal.out(issueLines(terminal, newIssues(result.issues, shown)));
}

/** Shows what publishing would do, and uploads nothing. */
async function dryRun(
  { terminal }: CommandContext,
  client: StoreClient,
  { manifest, bytes, issues }: SoundApp,
  json: boolean | undefined,
): Promise<number> {
  const { baseVersion, changes } = await previewOf(client, manifest);
  const { id: appId, version } = manifest;
  if (json) {
    terminal.out(
      jsonLine({ dryRun: true, appId, version, size: bytes.length, issues, baseVersion, changes }),
    );
    return 0;
  }
  terminal.out(headline(terminal, 'good', 'would publish', `${appId} ${version}`));
  terminal.out(
    fieldLines(terminal, [
      ['to', client.baseUrl],
      ['size', sizeOf(bytes.length)],
    ]),
  );
  if (baseVersion === null) terminal.out(allowedLines(terminal, changes));
  else if (changes.length === 0)
    terminal.out(`  No change from ${escapeText(baseVersion)} to what users agreed to.\n`);
  else terminal.out(`  Changes from ${escapeText(baseVersion)}:\n${changeLines(terminal, changes)}`);
  return 0;
}

/** Waits for the decision, and shows it; with `--watch` every state on the way. */
async function waitForDecision(
  context: CommandContext,
  client: StoreClient,
  ref: { appId: string; version: string },
  { json, watch }: PublishOptions,
): Promise<number> {
  const { terminal } = context;
  const final = await followVersion(context, client, ref, (record) => {
    if (watch || !isUndecided(record.status))
      terminal.out(json ? jsonLine(record) : statusText(terminal, record));
  });
  if (final.status === 'published' && !json)
    terminal.out(fieldLines(terminal, [['page', pageOf(client, ref.appId)]]));
  return codeFor(final);
}

/**
 * `svc publish`: checks an app as the store will, then uploads it.
 * @returns 0 when the store took it, 1 when the checks here find errors, or when it was waited for and not published
 * @throws StoreError when the store refuses it
 */
async function publish(context: CommandContext, path: string, options: PublishOptions): Promise<number> {
  const { terminal, cwd } = context;
  const follows = options.wait || options.watch;
  if (options.dryRun && follows) throw usageError('--dry-run uploads nothing that could be waited for.');
  const client = options.dryRun
    ? connect(context, options).client
    : await connectAsDeveloper(context, options);
  const spoken = options.json ? quiet(terminal) : terminal;
  const sound = await requireSound(spoken, path, await openApp(cwd, path, 'keep'), client);
  if (sound === null) return 1;
  if (options.dryRun) return dryRun(context, client, sound, options.json);
  const progress = transferProgress(spoken, 'uploading', sound.bytes.length);
  const result = await client
    .publish(sound.bytes, spoken.isScreen ? progress.at : undefined)
    .finally(progress.done);
  if (options.json) terminal.out(jsonLine(result));
  else report(terminal, client, result, sound.issues);
  if (!follows || !isUndecided(result.status)) return 0;
  return waitForDecision(context, client, result, options);
}

/** How the command line reads it. */
export const command = defineCommand<[string], PublishOptions>({
  arguments: [{ name: '<path>', help: 'a folder or a bundle' }],
  options: [
    { flags: '--dry-run', help: 'check it and show what would change for users; upload nothing' },
    { flags: '--wait', help: 'wait until it is published or rejected' },
    { flags: '--watch', help: 'the same, and show every state on the way' },
    STORE_OPTION,
    JSON_OPTION,
  ],
  details:
    'Exit code 0 says that the store accepted the upload; with --wait or --watch, that it was published. With --json the first line is the answer of the store, and each further line a state.',
  examples: ['publish app', 'publish app --dry-run', 'publish notes.svc-app --wait --json'],
  run: (context, [path], options) => publish(context, path, options),
});
