import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest, SignedFacts } from '@svc/contracts';
import { keyRing, type Refusal, type Release, type Seal, verifyBundle } from '@svc/signing';
import { hasErrors } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { checkBundle } from '../check-app.ts';
import { connect, type StoreOption } from '../connect.ts';
import { failed, wrongUse } from '../failure.ts';
import { keysFile, pinKey } from '../io/key-store.ts';
import { openBundleFile } from '../io/open-app.ts';
import { type TrustedKey, trustedKey } from '../io/trusted-key.ts';
import { fieldLines, headline } from '../present/fields.ts';
import { issueCount, issueLines } from '../present/issues.ts';
import { reachFields } from '../present/reach.ts';
import type { StoreClient } from '../store-client.ts';
import type { World } from '../world.ts';

export type VerifyOptions = StoreOption & { key?: string };

type Evidence = { bytes: Uint8Array; manifest: Manifest; release: Release & Seal };

const ORIGINS: Readonly<Record<TrustedKey['origin'], string>> = {
  file: 'named with --key',
  pinned: 'pinned for this store',
  offered: 'offered by the store, and pinned from now on',
};

const APP_AT_VERSION = /^([^@/\\]+)@([^@/\\]+)$/;

/** The manifest inside a bundle. One with errors is never believed, whoever signed it. */
async function manifestOf({ terminal }: World, bytes: Uint8Array): Promise<Manifest> {
  const { issues, manifest } = await checkBundle(bytes, 'store');
  if (!hasErrors(issues)) return asManifest(manifest);
  terminal.out(issueLines(terminal, issues));
  throw failed(`Not verified: the bundle is no sound app (${issueCount(issues)}).`);
}

async function gatherFromFile(world: World, client: StoreClient, file: string): Promise<Evidence> {
  const bytes = await openBundleFile(world.cwd, file);
  const manifest = await manifestOf(world, bytes);
  const release = await client.release({ appId: manifest.id, version: manifest.version });
  return { bytes, manifest, release };
}

async function gatherFromStore(world: World, client: StoreClient, target: string): Promise<Evidence> {
  const [, appId, version] = APP_AT_VERSION.exec(target) ?? [];
  if (appId === undefined || version === undefined) {
    throw wrongUse(`${target} does not exist, and is not of the form APP@VERSION.`);
  }
  const { bytes, release } = await client.download({ appId, version });
  return { bytes, manifest: await manifestOf(world, bytes), release };
}

/** A file that is there wins: what it holds is verified by what it says itself. */
async function gather(world: World, client: StoreClient, target: string): Promise<Evidence> {
  const isThere = await stat(path.resolve(world.cwd, target)).then(
    () => true,
    () => false,
  );
  return isThere ? gatherFromFile(world, client, target) : gatherFromStore(world, client, target);
}

/** What a refusal means for somebody who holds this very key. */
function explain(world: World, key: TrustedKey, release: Seal, refusal: Refusal, message: string): string {
  if (refusal !== 'unknown-key') return message;
  const both = `It is signed with the key ${release.keyId}, and the key ${ORIGINS[key.origin]} is ${key.keyId}.`;
  if (key.origin !== 'pinned') return both;
  const file = keysFile(world.env);
  return `${both} A store seldom changes its key: ask its operator. If the change is real, remove the store from ${file}.`;
}

function report({ terminal }: World, baseUrl: string, key: TrustedKey, facts: SignedFacts): void {
  terminal.out(headline(terminal, 'good', 'verified', `${facts.appId} ${facts.version}`));
  terminal.out(
    fieldLines(terminal, [
      ['store', baseUrl],
      ['key', `${key.keyId} (${ORIGINS[key.origin]})`],
      ['sha256', facts.sha256],
      ['published', facts.publishedAt],
      ...reachFields(facts),
    ]),
  );
}

/** A key that just proved itself is trusted from now on, and the user is told. */
async function pinOnFirstUse({ env, terminal }: World, baseUrl: string, key: TrustedKey): Promise<void> {
  if (key.origin !== 'offered') return;
  await pinKey(env, baseUrl, key);
  terminal.err(
    `svc: first use of ${baseUrl}: its key ${key.keyId} is trusted from now on (${keysFile(env)}). Compare it with what the operator of the store says.\n`,
  );
}

/**
 * `svc verify`: proves that a bundle is what the store signed, under a key that the user trusts.
 * @param target a bundle file, or APP@VERSION to download
 * @returns 0
 * @throws Failure or StoreRefusal when it cannot be proved
 */
export async function verify(world: World, target: string, options: VerifyOptions): Promise<number> {
  const store = connect(world, options);
  const { bytes, manifest, release } = await gather(world, store.client, target);
  const key = await trustedKey(world, options.key, store);
  const verdict = verifyBundle(bytes, manifest, release, keyRing([key]));
  if (!verdict.ok) {
    throw failed(`Not verified: ${explain(world, key, release, verdict.refusal, verdict.message)}`);
  }
  await pinOnFirstUse(world, store.baseUrl, key);
  report(world, store.baseUrl, key, verdict.facts);
  return 0;
}
