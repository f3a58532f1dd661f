import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Change, type Issue, LIMITS, type Manifest, type PublishResult } from '@svc/contracts';
import { reviewReasonText } from '@svc/contracts/vocabulary';
import { changesOf, footprintOf } from '@svc/permissions';
import { hasErrors } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { checkBundle } from '../check-app.ts';
import { type CommandContext, defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connect, connectAsDeveloper, connectToPublish, isTrustedJob, type StoreOption } from '../connect.ts';
import { failed, StoreError, usageError } from '../failure.ts';
import { codeFor, followVersion, isUndecided } from '../follow-version.ts';
import { openApp } from '../io/open-app.ts';
import { quiet, type Terminal } from '../io/terminal.ts';
import { type LiveTools, liveTools, notServed } from '../live-tools.ts';
import { allowedLines, changeLines } from '../present/changes.ts';
import { transferProgress } from '../present/progress.ts';
import { STATES, statusText } from '../present/status.ts';
import { escapeText, fieldLines, headline, issueLines, jsonLine, sizeOf } from '../present/text.ts';
import { requireValidApp, type ValidApp } from '../require-valid-app.ts';
import type { StoreClient } from '../store-client.ts';

/** The permission changes of publishing, computed locally. Only the store compares images. */
type Preview = {
  baseVersion: string | null;
  changes: readonly Change[];
  /** Whether the store shows its apps only to members, and this caller is none: what is published is not known then. */
  unread: boolean;
};

/** The latest published version of an app, or null when none is published. */
async function latestVersion(client: StoreClient, appId: string): Promise<string | null> {
  try {
    return (await client.call('GET /api/apps/:appId', { params: { appId } })).version;
  } catch (error) {
    if (error instanceof StoreError && error.envelope.code === 'not_found') return null;
    throw error;
  }
}

/**
 * Compares an app with its latest published version, as the store will.
 * @throws CommandError when the published version cannot be read
 */
async function previewOf(client: StoreClient, manifest: Manifest): Promise<Preview> {
  const after = footprintOf(manifest);
  let unread = false;
  const baseVersion = await latestVersion(client, manifest.id).catch((error: unknown) => {
    // A merge request from a fork has no token, and its check must not need one.
    if (!(error instanceof StoreError) || error.envelope.code !== 'unauthorized') throw error;
    unread = true;
    return null;
  });
  if (baseVersion === null) return { baseVersion, changes: changesOf(null, after), unread };
  const { bytes } = await client.download({ appId: manifest.id, version: baseVersion });
  const published = await checkBundle(bytes, { mode: 'store', localhost: 'warn' });
  if (hasErrors(published.issues)) {
    throw failed(`The published version ${baseVersion} has errors, so the changes cannot be shown.`);
  }
  return {
    baseVersion,
    changes: changesOf(footprintOf(asManifest(published.manifest, 'warn')), after),
    unread,
  };
}

type PublishOptions = StoreOption & {
  json?: boolean;
  dryRun?: boolean;
  wait?: boolean;
  watch?: boolean;
  live?: boolean;
  approve?: boolean;
  attestation?: string;
};

/** @throws CommandError when the file cannot be read, or is too large for an attestation */
async function readAttestation(cwd: string, file: string): Promise<Uint8Array> {
  const bytes = await readFile(resolve(cwd, file)).catch((error: { code?: string }) => {
    throw failed(`${file} cannot be read (${error.code}).`);
  });
  const max = LIMITS.attestation.bytes;
  if (bytes.length > 0 && bytes.length <= max) return bytes;
  throw failed(
    `${file} is no attestation: it must have 1 to ${max} bytes. Name the file that the attest action wrote.`,
  );
}

/** Findings of the store that are not among those already shown. */
const newIssues = (issues: readonly Issue[], shown: readonly Issue[]): Issue[] =>
  issues.filter(({ code, path }) => !shown.some((issue) => issue.code === code && issue.path === path));

/** The listing page of a published app. */
const pageOf = (client: StoreClient, appId: string): string =>
  `${client.baseUrl}/apps/${encodeURIComponent(appId)}`;

function reportReview(terminal: Terminal, { reasons, appId, version, reviewUrl }: PublishResult): void {
  terminal.out(
    reasons.includes('publisher-confirmation')
      ? '  It waits for a person before it is published:\n'
      : '  A moderator reviews it before it is published:\n',
  );
  for (const reason of reasons) {
    terminal.out(`    ${escapeText(reason)}: ${escapeText(reviewReasonText(reason))}\n`);
  }
  terminal.out(
    fieldLines(terminal, [
      ['follow with', `svc status ${appId} ${version} --watch`],
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
  // No user has agreed to an earlier version yet.
  if (baseVersion !== null && changes.length > 0) {
    terminal.out(`  Changes from ${escapeText(baseVersion)}:\n${changeLines(terminal, changes)}`);
  }
  terminal.out(issueLines(terminal, newIssues(result.issues, shown)));
}

/** Shows the result of publishing without uploading. */
async function dryRun(
  { terminal }: CommandContext,
  client: StoreClient,
  { manifest, bytes, issues }: ValidApp,
  json: boolean | undefined,
): Promise<number> {
  const { baseVersion, changes, unread } = await previewOf(client, manifest);
  if (unread)
    terminal.err(
      'note: this store shows its apps to members only, so the published version was not compared. For that, set SVC_TOKEN to a token with the scope read.\n',
    );
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
  else if (changes.length === 0) terminal.out(`  No permission changes from ${escapeText(baseVersion)}.\n`);
  else terminal.out(`  Changes from ${escapeText(baseVersion)}:\n${changeLines(terminal, changes)}`);
  return 0;
}

/** Waits for the decision and shows it; with `--watch` also every state before it. */
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

/** Lists the tools of the server, and shows which declared ones it does not have; null for an app without tools. */
async function listAndReport(
  context: CommandContext,
  terminal: Terminal,
  manifest: Manifest,
  { live }: PublishOptions,
): Promise<LiveTools | null> {
  if (live === false || (manifest.contributes.tools ?? []).length === 0) return null;
  const listed = await liveTools(context, manifest);
  if ('tools' in listed) terminal.out(issueLines(terminal, notServed(manifest, listed.tools)));
  return listed;
}

/** Sends the tools that the server lists, for the moderator of the version. The app is published either way. */
async function recordLive(
  { terminal }: CommandContext,
  client: StoreClient,
  { appId, version, status }: PublishResult,
  live: LiveTools | null,
): Promise<void> {
  if (live === null) return;
  const skipped = (why: string) =>
    terminal.err(`note: the tools of the server were not recorded: ${escapeText(why)}\n`);
  if ('reason' in live) return skipped(live.reason);
  // The moderator sees them. Without a review the store lists the server itself.
  if (status !== 'in_review') return;
  await client
    .call('PUT /api/apps/:appId/versions/:version/served-tools', {
      params: { appId, version },
      json: { tools: [...live.tools] },
    })
    .catch((error: unknown) => {
      // An older store has no such route, and a store that lists the server itself may be faster.
      if (
        !(error instanceof StoreError) ||
        !['not_found', 'already_handled', 'method_not_allowed'].includes(error.envelope.code)
      )
        skipped(error instanceof Error ? error.message : String(error));
    });
}

/**
 * `svc publish`: checks an app as the store will, then uploads it.
 * @returns 0 when the store accepted it; 1 when the local checks find errors, or when the awaited decision is not "published"
 * @throws StoreError when the store refuses it
 */
export const command = defineCommand<[string], PublishOptions>({
  arguments: [{ name: '<path>', help: 'a folder or a bundle' }],
  options: [
    { flags: '--dry-run', help: 'check the app and show permission changes, without uploading' },
    { flags: '--wait', help: 'wait until the version is published or rejected' },
    { flags: '--watch', help: 'like --wait, and show every state' },
    { flags: '--approve', help: 'publish only after a member confirms the version on its page' },
    {
      flags: '--attestation <file>',
      help: 'the attestation of the bundle that a CI job made, a Sigstore bundle',
    },
    { flags: '--no-live', help: 'do not list the tools of the server (token: SVC_MCP_TOKEN)' },
    STORE_OPTION,
    JSON_OPTION,
  ],
  details:
    'The exit code is 0 when the store accepted the upload; with --wait or --watch, when it published the version. With --json, the first line is the response of the store, and each further line is a state. Without SVC_TOKEN, a job of GitHub or GitLab publishes with its ID token where the publisher trusts its workflow.',
  examples: [
    'publish app',
    'publish app --dry-run',
    'publish notes.svc-app --wait --json',
    'publish notes.svc-app --attestation attestation.json',
  ],
  async run(context, [path], options) {
    const { terminal, cwd } = context;
    const waits = options.wait || options.watch;
    if (options.dryRun && waits) throw usageError('--dry-run cannot be used with --wait or --watch.');
    const isOpen = options.dryRun || isTrustedJob(context);
    const reader = isOpen ? connect(context, options).client : await connectAsDeveloper(context, options);
    const textTerminal = options.json ? quiet(terminal) : terminal;
    const app = await requireValidApp(textTerminal, path, await openApp(cwd, path, 'keep'), reader);
    if (app === null) return 1;
    const live = await listAndReport(context, textTerminal, app.manifest, options);
    if (options.dryRun) return dryRun(context, reader, app, options.json);
    const attestation =
      options.attestation === undefined ? undefined : await readAttestation(cwd, options.attestation);
    const client = await connectToPublish(context, options, app.manifest);
    const progress = transferProgress(textTerminal, 'uploading', app.bytes.length);
    const result = await client
      .publish(app.bytes, textTerminal.isScreen ? progress.at : undefined, {
        confirm: options.approve === true,
        attestation,
      })
      .finally(progress.done);
    await recordLive(context, client, result, live);
    if (options.json) terminal.out(jsonLine(result));
    else report(terminal, client, result, app.issues);
    if (!waits || !isUndecided(result.status)) return 0;
    return waitForDecision(context, client, result, options);
  },
});
