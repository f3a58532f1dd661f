import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest, SignedFacts, VersionAttestation } from '@svc/contracts';
import { sourceName } from '@svc/contracts/vocabulary';
import { changesOf, footprintOf } from '@svc/permissions';
import { keyRing, type Refusal, verifyBundle } from '@svc/signing';
import { hasErrors } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { type Carried, carriedFrom, originLines } from '../carried-version.ts';
import { checkBundle } from '../check-app.ts';
import { type CommandContext, defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connect, type StoreOption } from '../connect.ts';
import { failed, usageError } from '../failure.ts';
import { keysFile, pinKey } from '../io/key-store.ts';
import { openBundleFile } from '../io/open-app.ts';
import { quiet } from '../io/terminal.ts';
import { keysOf, keysOffline, type Trust, trustedKeys } from '../io/trusted-key.ts';
import { writeAtomic } from '../io/write-atomic.ts';
import { type LoggedVersion, loggedIn, readProof, verifyLogged } from '../logged-version.ts';
import { allowedLines } from '../present/changes.ts';
import { type Progress, transferProgress } from '../present/progress.ts';
import { fieldLines, headline, issueCount, issueLines, jsonLine } from '../present/text.ts';
import { checkForStore } from '../require-valid-app.ts';
import type { Released, StoreClient } from '../store-client.ts';

type VerifyOptions = StoreOption & {
  key?: string;
  trustedRoots?: string;
  proof?: string;
  saveProof?: string;
  json?: boolean;
};

/** What was verified: with the store, or without it, which then says nothing of the build. */
type Verified = {
  evidence: Evidence;
  trust: Trust;
  facts: SignedFacts;
  /** Id of the key that signed it: a foreign store names its keys as it likes. */
  signer: string;
  logged: LoggedVersion | null;
  built?: VersionAttestation | null;
  carried: Carried | null;
};

type Evidence = { bytes: Uint8Array; manifest: Manifest; release: Released };

const ORIGINS: Readonly<Record<Trust['origin'], string>> = {
  file: 'named with --key',
  pinned: 'pinned for this store',
  offered: 'offered by the store, now pinned',
};

/** Why the signing key is trusted: directly, or through a chain of keys. */
function originOf({ current, origin, follows }: Trust, signedBy: string): string {
  if (follows !== undefined && signedBy === current.keyId)
    return `successor of ${follows}, ${ORIGINS[origin]}`;
  if (signedBy === current.keyId) return ORIGINS[origin];
  return `an earlier key of the store; its current key is ${current.keyId}, ${ORIGINS[origin]}`;
}

const APP_AT_VERSION = /^([^@/\\]+)@([^@/\\]+)$/;

/** The manifest inside a bundle. A manifest with errors is refused even when its signature is valid. */
async function manifestOf(
  { terminal }: CommandContext,
  client: StoreClient | null,
  bytes: Uint8Array,
): Promise<Manifest> {
  const { checked, localhost } = await checkForStore(client, (rule) =>
    checkBundle(bytes, { mode: 'store', localhost: rule }),
  );
  const { issues, manifest } = checked;
  if (!hasErrors(issues)) return asManifest(manifest, localhost);
  terminal.out(issueLines(terminal, issues));
  throw failed(`Not verified: the bundle is not a valid app (${issueCount(issues)}).`);
}

async function evidenceFromFile(
  context: CommandContext,
  client: StoreClient,
  file: string,
): Promise<Evidence> {
  const bytes = await openBundleFile(context.cwd, file);
  const manifest = await manifestOf(context, client, bytes);
  const release = await client.release({ appId: manifest.id, version: manifest.version });
  return { bytes, manifest, release };
}

/** A bundle with the proof that was kept with it: no store is asked. */
async function evidenceFromProof(context: CommandContext, file: string, proof: string): Promise<Evidence> {
  const { release: kept } = await readProof(context.cwd, proof);
  const bytes = await openBundleFile(context.cwd, file);
  const manifest = await manifestOf(context, null, bytes);
  const { publishedAt, signature, keyId } = kept;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { id: appId, version } = manifest;
  return {
    bytes,
    manifest,
    release: { appId, version, sha256, publishedAt, signature, keyId, origin: undefined },
  };
}

async function evidenceFromStore(
  context: CommandContext,
  client: StoreClient,
  target: string,
): Promise<Evidence> {
  const [, appId, version] = APP_AT_VERSION.exec(target) ?? [];
  if (appId === undefined || version === undefined) {
    throw usageError(`${target} is neither an existing file nor of the form APP@VERSION.`);
  }
  let progress: Progress | undefined;
  const { bytes, release } = await client
    .download({ appId, version }, (read, total) => {
      progress ??= transferProgress(context.terminal, 'downloading', total);
      progress.at(read);
    })
    .finally(() => progress?.done());
  const manifest = await manifestOf(context, client, bytes);
  return { bytes, manifest, release };
}

/** An existing file takes precedence over APP@VERSION; its manifest says which app and version it is. */
async function evidenceFor(context: CommandContext, client: StoreClient, target: string): Promise<Evidence> {
  const isFile = await stat(path.resolve(context.cwd, target)).then(
    () => true,
    () => false,
  );
  return isFile ? evidenceFromFile(context, client, target) : evidenceFromStore(context, client, target);
}

/** The message for a failed verification, given the trusted keys. */
function explain(
  context: CommandContext,
  trust: Trust,
  release: Released,
  refusal: Refusal,
  message: string,
): string {
  if (refusal !== 'unknown-key') return message;
  const { current, origin, follows = current.keyId } = trust;
  const mismatch = `It is signed with the key ${release.keyId}, but the key ${ORIGINS[origin]} is ${follows}.`;
  if (origin === 'offered') return mismatch;
  const untrusted = `${mismatch} The new key is not signed by the one you trust, so it may belong to an attacker. Ask the operator of the store.`;
  if (origin === 'file') return untrusted;
  return `${untrusted} If the operator confirms the new key, remove the store from ${keysFile(context.env)}.`;
}

/**
 * The CI job that built a bundle, by the attestation that the store has; null without one. It is verified here, against the public instance
 * of Sigstore or the roots that the user named: the store is not trusted with it.
 * @throws CommandError when the attestation does not prove it
 */
async function builtBy(
  { cwd }: CommandContext,
  client: StoreClient,
  facts: SignedFacts,
  { trustedRoots }: VerifyOptions,
): Promise<VersionAttestation | null> {
  const text = await client.attestation(facts);
  if (text === null) return null;
  const { readTrustedRoots, sigstoreRoots, verifyAttestation } = await import('@svc/attestation');
  const readRoots = async (file: string) => {
    try {
      return readTrustedRoots(await readFile(path.resolve(cwd, file), 'utf8'));
    } catch (error) {
      throw failed(`${file} cannot be used: ${(error as Error).message}.`);
    }
  };
  const roots = trustedRoots === undefined ? sigstoreRoots() : await readRoots(trustedRoots);
  const verdict = verifyAttestation(text, facts.sha256, roots);
  if (verdict.ok) return verdict.attestation;
  const hint =
    verdict.refusal === 'certificate'
      ? ' If it comes from a private instance of Sigstore, name its roots with --trusted-roots.'
      : '';
  throw failed(`Not verified: ${verdict.message}${hint}`);
}

const buildLines = (built: VersionAttestation | null): [string, string][] =>
  built === null
    ? [['built by', 'unknown: it has no attestation']]
    : [
        ['built by', sourceName(built)],
        ['commit', built.commit],
        ...(built.run === null ? [] : [['job', built.run] as [string, string]]),
      ];

const logLine = (logged: LoggedVersion | null): string =>
  logged
    ? `${logged.origin}, entry ${logged.index} of ${logged.size}`
    : 'none: the store does not prove that it published this version to all';

function report({ terminal }: CommandContext, baseUrl: string, verified: Verified): void {
  const { trust, facts, signer, built, logged, carried } = verified;
  const { release, manifest } = verified.evidence;
  terminal.out(headline(terminal, 'good', 'verified', `${facts.appId} ${facts.version}`));
  terminal.out(
    fieldLines(terminal, [
      ['store', built === undefined ? 'not asked' : baseUrl],
      ['key', `${release.keyId} (${originOf(trust, signer)})`],
      ['log', logLine(logged)],
      ['sha256', facts.sha256],
      ['published', facts.publishedAt],
      ...(built === undefined ? [] : buildLines(built)),
      ...originLines(carried),
    ]),
  );
  terminal.out(allowedLines(terminal, changesOf(null, footprintOf(manifest))));
}

/** The result with `--json`. */
function resultOf(baseUrl: string, { evidence, trust, facts, built, logged, carried }: Verified) {
  const { follows, origin } = trust;
  const key = { keyId: evidence.release.keyId, trust: origin, ...(follows !== undefined && { follows }) };
  const { file: _file, ...log } = logged ?? { file: '' };
  const found = { facts, attestation: built ?? null, log: logged && log };
  const from = carried && { ...carried.statement.origin, isListedThere: carried.isListedThere };
  return { verified: true, store: built === undefined ? null : baseUrl, key, ...found, origin: from };
}

/** Pins new keys after a successful verification, and reports them. */
async function pinNewKeys({ env, terminal }: CommandContext, baseUrl: string, trust: Trust): Promise<void> {
  const { current, origin, follows } = trust;
  if (follows !== undefined) {
    const change = `svc: ${baseUrl} has a new key, ${current.keyId}, signed by ${follows}, which you trust`;
    terminal.err(
      origin === 'file' ? `${change}.\n` : `${change}. The new key is now pinned (${keysFile(env)}).\n`,
    );
  } else if (origin === 'offered') {
    terminal.err(
      `svc: first use of ${baseUrl}: its key ${current.keyId} is now pinned (${keysFile(env)}). Compare the key id with the one that the operator of the store publishes.\n`,
    );
  }
  if (origin === 'offered' || (origin === 'pinned' && follows !== undefined))
    await pinKey(env, baseUrl, trust);
}

/** The facts of a bundle whose signature verifies, and the id of the key that signed them. @throws CommandError */
function factsIn(context: CommandContext, trust: Trust, { bytes, manifest, release }: Evidence) {
  const verdict = verifyBundle(bytes, manifest, release, keyRing(keysOf(trust)));
  if (verdict.ok) return verdict;
  throw failed(`Not verified: ${explain(context, trust, release, verdict.refusal, verdict.message)}`);
}

async function verifyWithStore(
  context: CommandContext,
  store: { baseUrl: string; client: StoreClient },
  target: string,
  options: VerifyOptions,
): Promise<Verified> {
  const evidence = await evidenceFor(context, store.client, target);
  const { release } = evidence;
  let trust = await trustedKeys(context, options.key, store, release.keyId);
  const { facts, signer } = factsIn(context, trust, evidence);
  const logged = await loggedIn(store.client, facts, release, async (current) => {
    // The key that signs the log now may be a successor of the one that signed the version.
    trust = await trustedKeys(context, options.key, store, current);
    return keyRing(keysOf(trust));
  });
  const built = await builtBy(context, store.client, facts, options);
  const own = { baseUrl: store.baseUrl, key: keyRing(keysOf(trust)) };
  const carried = await carriedFrom(context, own, evidence);
  await pinNewKeys(context, store.baseUrl, trust);
  return { evidence, trust, facts, signer, logged, built, carried };
}

async function verifyOffline(
  context: CommandContext,
  baseUrl: string,
  [target, proof]: [string, string],
  keyFile: string | undefined,
): Promise<Verified> {
  const evidence = await evidenceFromProof(context, target, proof);
  const trust = await keysOffline(context, keyFile, baseUrl);
  const { facts, signer } = factsIn(context, trust, evidence);
  const { file } = await readProof(context.cwd, proof);
  const logged = verifyLogged(file, facts, keyRing(keysOf(trust)));
  return { evidence, trust, facts, signer, logged, carried: null };
}

/** @throws CommandError for a store without a log */
async function saveProof(
  { cwd }: CommandContext,
  shown: string,
  logged: LoggedVersion | null,
): Promise<void> {
  if (!logged) throw failed('There is no proof to save: the store has no log.');
  await writeAtomic(path.resolve(cwd, shown), logged.file);
}

/**
 * `svc verify`: verifies the signature of a bundle with a key that the user trusts, or a successor of that key, and that it is in the log
 * of the store.
 * @param target a bundle file, or APP@VERSION to download
 * @returns 0
 * @throws CommandError or StoreError when verification fails
 */
export const command = defineCommand<[string], VerifyOptions>({
  arguments: [{ name: '<target>', help: 'a bundle file, or APP@VERSION' }],
  options: [
    { flags: '--key <pem-file>', help: 'public key to trust instead of the pinned one' },
    {
      flags: '--trusted-roots <file>',
      help: 'instances of Sigstore to trust for the attestation of the build, instead of the public one',
    },
    { flags: '--save-proof <file>', help: 'write the proof that the version is in the log of the store' },
    { flags: '--proof <file>', help: 'verify a bundle file with such a proof, without the store' },
    STORE_OPTION,
    JSON_OPTION,
  ],
  examples: [
    'verify notes.svc-app',
    'verify com.example.notes@1.2.0 --save-proof notes.proof',
    'verify notes.svc-app --proof notes.proof',
  ],
  async run(outer, [target], options) {
    const context = options.json ? { ...outer, terminal: quiet(outer.terminal) } : outer;
    const store = connect(context, options);
    const verified =
      options.proof === undefined
        ? await verifyWithStore(context, store, target, options)
        : await verifyOffline(context, store.baseUrl, [target, options.proof], options.key);
    if (options.saveProof !== undefined) await saveProof(context, options.saveProof, verified.logged);
    if (options.json) outer.terminal.out(jsonLine(resultOf(store.baseUrl, verified)));
    else report(context, store.baseUrl, verified);
    return 0;
  },
});
