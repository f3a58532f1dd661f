import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest, SignedFacts } from '@svc/contracts';
import { changesOf, footprintOf } from '@svc/permissions';
import { keyRing, type Refusal, type Release, type ReleaseSignature, verifyBundle } from '@svc/signing';
import { hasErrors } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { checkBundle } from '../check-app.ts';
import { checkForStore } from '../check-for-store.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connect, type StoreOption } from '../connect.ts';
import { failed, usageError } from '../failure.ts';
import { keysFile, pinKey } from '../io/key-store.ts';
import { openBundleFile } from '../io/open-app.ts';
import { quiet } from '../io/terminal.ts';
import { keysOf, type Trust, trustedKeys } from '../io/trusted-key.ts';
import { allowedLines } from '../present/changes.ts';
import { jsonLine } from '../present/escape.ts';
import { fieldLines, headline } from '../present/fields.ts';
import { issueCount, issueLines } from '../present/issues.ts';
import { type Progress, transferProgress } from '../present/progress.ts';
import type { StoreClient } from '../store-client.ts';

type VerifyOptions = StoreOption & { key?: string; json?: boolean };

type Evidence = { bytes: Uint8Array; manifest: Manifest; release: Release & ReleaseSignature };

const ORIGINS: Readonly<Record<Trust['origin'], string>> = {
  file: 'named with --key',
  pinned: 'pinned for this store',
  offered: 'offered by the store, and pinned from now on',
};

/** Why the key that signed is trusted: by itself, or through the one that is. */
function originOf({ current, origin, follows }: Trust, signedBy: string): string {
  if (follows !== undefined && signedBy === current.keyId)
    return `which follows from ${follows}, ${ORIGINS[origin]}`;
  if (signedBy === current.keyId) return ORIGINS[origin];
  return `an earlier key of the store; its key now is ${current.keyId}, ${ORIGINS[origin]}`;
}

const APP_AT_VERSION = /^([^@/\\]+)@([^@/\\]+)$/;

/** The manifest inside a bundle. One with errors is never believed, no matter who signed it. */
async function manifestOf(
  { terminal }: CommandContext,
  client: StoreClient,
  bytes: Uint8Array,
): Promise<Manifest> {
  const { checked, localhost } = await checkForStore(client, (said) =>
    checkBundle(bytes, { mode: 'store', localhost: said }),
  );
  const { issues, manifest } = checked;
  if (!hasErrors(issues)) return asManifest(manifest, localhost);
  terminal.out(issueLines(terminal, issues));
  throw failed(`Not verified: the bundle is no sound app (${issueCount(issues)}).`);
}

async function gatherFromFile(world: CommandContext, client: StoreClient, file: string): Promise<Evidence> {
  const bytes = await openBundleFile(world.cwd, file);
  const manifest = await manifestOf(world, client, bytes);
  const release = await client.release({ appId: manifest.id, version: manifest.version });
  return { bytes, manifest, release };
}

async function gatherFromStore(
  world: CommandContext,
  client: StoreClient,
  target: string,
): Promise<Evidence> {
  const [, appId, version] = APP_AT_VERSION.exec(target) ?? [];
  if (appId === undefined || version === undefined) {
    throw usageError(`${target} does not exist, and is not of the form APP@VERSION.`);
  }
  let progress: Progress | undefined;
  const { bytes, release } = await client
    .download({ appId, version }, (read, total) => {
      progress ??= transferProgress(world.terminal, 'downloading', total);
      progress.at(read);
    })
    .finally(() => progress?.done());
  const manifest = await manifestOf(world, client, bytes);
  return { bytes, manifest, release };
}

/** A file that is there wins: what it holds is verified by what it says itself. */
async function gather(world: CommandContext, client: StoreClient, target: string): Promise<Evidence> {
  const isThere = await stat(path.resolve(world.cwd, target)).then(
    () => true,
    () => false,
  );
  return isThere ? gatherFromFile(world, client, target) : gatherFromStore(world, client, target);
}

/** What a refusal means for a client that holds these very keys. */
function explain(
  world: CommandContext,
  trust: Trust,
  release: ReleaseSignature,
  refusal: Refusal,
  message: string,
): string {
  if (refusal !== 'unknown-key') return message;
  const { current, origin, follows = current.keyId } = trust;
  const both = `It is signed with the key ${release.keyId}, and the key ${ORIGINS[origin]} is ${follows}.`;
  if (origin === 'offered') return both;
  const unproved = `${both} The new key is not signed by the one you trust, so it may be a stranger's: ask the operator of the store.`;
  if (origin === 'file') return unproved;
  return `${unproved} If the change is real, remove the store from ${keysFile(world.env)}.`;
}

function report(
  { terminal }: CommandContext,
  baseUrl: string,
  trust: Trust,
  { release: { keyId }, manifest }: Evidence,
  facts: SignedFacts,
): void {
  terminal.out(headline(terminal, 'good', 'verified', `${facts.appId} ${facts.version}`));
  terminal.out(
    fieldLines(terminal, [
      ['store', baseUrl],
      ['key', `${keyId} (${originOf(trust, keyId)})`],
      ['sha256', facts.sha256],
      ['published', facts.publishedAt],
    ]),
  );
  terminal.out(allowedLines(terminal, changesOf(null, footprintOf(manifest))));
}

/** Keys that just proved themselves are trusted from now on, and the user is told. */
async function pinWhatIsNew({ env, terminal }: CommandContext, baseUrl: string, trust: Trust): Promise<void> {
  const { current, origin, follows } = trust;
  if (follows !== undefined) {
    const vouched = `svc: ${baseUrl} has changed its key: ${follows}, which you trust, vouches for ${current.keyId}`;
    terminal.err(
      origin === 'file' ? `${vouched}.\n` : `${vouched}, which is trusted from now on (${keysFile(env)}).\n`,
    );
  } else if (origin === 'offered') {
    terminal.err(
      `svc: first use of ${baseUrl}: its key ${current.keyId} is trusted from now on (${keysFile(env)}). Compare it with what the operator of the store says.\n`,
    );
  }
  if (origin === 'offered' || (origin === 'pinned' && follows !== undefined))
    await pinKey(env, baseUrl, trust);
}

/**
 * `svc verify`: proves that a bundle is what the store signed, under a key that the user trusts, or one that it vouches for.
 * @param target a bundle file, or APP@VERSION to download
 * @returns 0
 * @throws CommandError or StoreError when it cannot be proved
 */
async function verify(outer: CommandContext, target: string, options: VerifyOptions): Promise<number> {
  const world = options.json ? { ...outer, terminal: quiet(outer.terminal) } : outer;
  const store = connect(world, options);
  const evidence = await gather(world, store.client, target);
  const { bytes, manifest, release } = evidence;
  const trust = await trustedKeys(world, options.key, store, release.keyId);
  const verdict = verifyBundle(bytes, manifest, release, keyRing(keysOf(trust)));
  if (!verdict.ok) {
    throw failed(`Not verified: ${explain(world, trust, release, verdict.refusal, verdict.message)}`);
  }
  await pinWhatIsNew(world, store.baseUrl, trust);
  if (options.json) {
    const { keyId } = release;
    const key = {
      keyId,
      trust: trust.origin,
      ...(trust.follows !== undefined && { follows: trust.follows }),
    };
    outer.terminal.out(jsonLine({ verified: true, store: store.baseUrl, key, facts: verdict.facts }));
    return 0;
  }
  report(world, store.baseUrl, trust, evidence, verdict.facts);
  return 0;
}

/** How the command line reads it. */
export const command = defineCommand<[string], VerifyOptions>({
  arguments: [{ name: '<target>', help: 'a bundle file, or APP@VERSION' }],
  options: [
    { flags: '--key <pem-file>', help: 'public key to trust, in place of the one pinned for the store' },
    STORE_OPTION,
    JSON_OPTION,
  ],
  examples: ['verify notes.svc-app', 'verify com.example.notes@1.2.0'],
  run: (context, [target], options) => verify(context, target, options),
});
