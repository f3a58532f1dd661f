import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest, OriginStatement, SignedFacts, VersionAttestation } from '@svc/contracts';
import { sourceName } from '@svc/contracts/vocabulary';
import { changesOf, footprintOf } from '@svc/permissions';
import {
  isForeignKeyId,
  type KeyRing,
  keyRing,
  type Refusal,
  type ReleaseSignature,
  verifyAtOrigin,
  verifyBundle,
  verifyOrigin,
} from '@svc/signing';
import { hasErrors } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { checkBundle } from '../check-app.ts';
import { type CommandContext, defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connect, type StoreOption } from '../connect.ts';
import { failed, NoAnswerError, usageError } from '../failure.ts';
import { keysFile, pinKey } from '../io/key-store.ts';
import { openBundleFile } from '../io/open-app.ts';
import { quiet } from '../io/terminal.ts';
import { keysOf, type Trust, trustedKeys } from '../io/trusted-key.ts';
import { allowedLines } from '../present/changes.ts';
import { type Progress, transferProgress } from '../present/progress.ts';
import { fieldLines, headline, issueCount, issueLines, jsonLine } from '../present/text.ts';
import { checkForStore } from '../require-valid-app.ts';
import { type Released, StoreClient } from '../store-client.ts';

type VerifyOptions = StoreOption & { key?: string; trustedRoots?: string; json?: boolean };

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
  if (signedBy === current.keyId || isForeignKeyId(signedBy)) return ORIGINS[origin];
  return `an earlier key of the store; its current key is ${current.keyId}, ${ORIGINS[origin]}`;
}

const APP_AT_VERSION = /^([^@/\\]+)@([^@/\\]+)$/;

/** The manifest inside a bundle. A manifest with errors is refused even when its signature is valid. */
async function manifestOf(
  { terminal }: CommandContext,
  client: StoreClient,
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
  release: ReleaseSignature,
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

/** A carried version: its origin, and whether the origin itself lists the key that signed it there. */
type Carried = { statement: OriginStatement; isListedThere: boolean };

/**
 * Whether the origin of a version lists the key that signed it there; false when it cannot be reached, as behind an air gap.
 * @throws CommandError when the origin answers, and not with that key
 */
async function isListed(
  { fetch }: CommandContext,
  { store, keyId, publicKeyPem }: OriginStatement['origin'],
): Promise<boolean> {
  try {
    // Without a token: it is another store.
    const { keys } = await new StoreClient({ baseUrl: store, fetch }).call('GET /api/apps/public-keys');
    if (keys.some((listed) => listed.publicKeyPem === publicKeyPem)) return true;
  } catch (error) {
    if (error instanceof NoAnswerError && error.status === undefined) return false;
    throw failed(`Not verified: ${store} does not say which keys it has.`, { cause: error });
  }
  throw failed(`Not verified: ${store} does not list the key ${keyId}, which signed it there.`);
}

/**
 * The store that a version comes from; null when its store does not say that it carries it. Both signatures are verified: the one of this store
 * with the trusted key, the other one with the key of the origin, which the origin is asked for.
 * @throws CommandError when one of them is not valid, or the origin has another key
 */
async function carriedFrom(
  context: CommandContext,
  { baseUrl, key }: { baseUrl: string; key: KeyRing },
  { bytes, manifest, release: { appId, version, sha256, origin: statement } }: Evidence,
): Promise<Carried | null> {
  if (statement === undefined) return null;
  const isOfThis = (stated: OriginStatement) =>
    stated.appId === appId && stated.version === version && stated.sha256 === sha256;
  if (!verifyOrigin(statement, key) || !isOfThis(statement))
    throw failed('Not verified: the store did not sign from which other store it carries this version.');
  const hash = createHash('sha256').update(bytes).digest('hex');
  const verdict = verifyAtOrigin(hash, manifest, statement, baseUrl);
  if (!verdict.ok) throw failed(`Not verified: at its origin, ${verdict.message}`);
  return { statement, isListedThere: await isListed(context, statement.origin) };
}

const originLines = (carried: Carried | null): [string, string][] =>
  carried === null
    ? []
    : [
        ['from', carried.statement.origin.store],
        [
          'key there',
          `${carried.statement.origin.keyId} (${carried.isListedThere ? 'listed by that store' : 'that store cannot be reached'})`,
        ],
        ['carried by', carried.statement.carriedBy],
      ];

const buildLines = (built: VersionAttestation | null): [string, string][] =>
  built === null
    ? [['built by', 'unknown: it has no attestation']]
    : [
        ['built by', sourceName(built)],
        ['commit', built.commit],
        ...(built.run === null ? [] : [['job', built.run] as [string, string]]),
      ];

function report(
  { terminal }: CommandContext,
  baseUrl: string,
  trust: Trust,
  { release: { keyId }, manifest }: Evidence,
  facts: SignedFacts,
  { built, carried }: { built: VersionAttestation | null; carried: Carried | null },
): void {
  terminal.out(headline(terminal, 'good', 'verified', `${facts.appId} ${facts.version}`));
  terminal.out(
    fieldLines(terminal, [
      ['store', baseUrl],
      ['key', `${keyId} (${originOf(trust, keyId)})`],
      ['sha256', facts.sha256],
      ['published', facts.publishedAt],
      ...buildLines(built),
      ...originLines(carried),
    ]),
  );
  terminal.out(allowedLines(terminal, changesOf(null, footprintOf(manifest))));
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

/**
 * `svc verify`: verifies the signature of a bundle with a key that the user trusts, or a successor of that key.
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
    STORE_OPTION,
    JSON_OPTION,
  ],
  examples: ['verify notes.svc-app', 'verify com.example.notes@1.2.0'],
  async run(outer, [target], options) {
    const context = options.json ? { ...outer, terminal: quiet(outer.terminal) } : outer;
    const store = connect(context, options);
    const evidence = await evidenceFor(context, store.client, target);
    const { bytes, manifest, release } = evidence;
    const trust = await trustedKeys(context, options.key, store, release.keyId);
    const verdict = verifyBundle(bytes, manifest, release, keyRing(keysOf(trust)));
    if (!verdict.ok) {
      throw failed(`Not verified: ${explain(context, trust, release, verdict.refusal, verdict.message)}`);
    }
    const built = await builtBy(context, store.client, verdict.facts, options);
    const own = { baseUrl: store.baseUrl, key: keyRing(keysOf(trust)) };
    const carried = await carriedFrom(context, own, evidence);
    await pinNewKeys(context, store.baseUrl, trust);
    if (options.json) {
      const { keyId } = release;
      const key = {
        keyId,
        trust: trust.origin,
        ...(trust.follows !== undefined && { follows: trust.follows }),
      };
      const { facts } = verdict;
      const origin = carried && { ...carried.statement.origin, isListedThere: carried.isListedThere };
      outer.terminal.out(
        jsonLine({ verified: true, store: store.baseUrl, key, facts, attestation: built, origin }),
      );
      return 0;
    }
    report(context, store.baseUrl, trust, evidence, verdict.facts, { built, carried });
    return 0;
  },
});
