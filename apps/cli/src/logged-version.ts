import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PublishedExtra, type SignedFacts } from '@svc/contracts';
import {
  formatVersionProof,
  readProofFile,
  readVersionProof,
  type VersionProof,
  verifyVersionProof,
} from '@svc/log';
import type { KeyRing, Release, ReleaseSignature } from '@svc/signing';
import { failed, isNotFound, usageError } from './failure.ts';
import type { StoreClient } from './store-client.ts';

/** Where the log of a store has a version, and the proof as a file (tlog-proof). */
export type LoggedVersion = { origin: string; index: number; size: number; file: string };

const NOT_LOGGED =
  'Not verified: the log of the store does not have this version, or its checkpoint is not signed by a key that you trust.';

/** The proof that a store sends, as a file that is verified with the bundle alone. @throws CommandError */
function fileOf(sent: string, { publishedAt, signature, keyId }: Release & ReleaseSignature): string {
  try {
    const proof = readProofFile(sent);
    const extra = PublishedExtra.parse(JSON.parse(Buffer.from(proof?.extra ?? []).toString('utf8')));
    if (proof) return formatVersionProof(proof, { ...extra, publishedAt, signature, keyId });
  } catch {
    // Malformed in another way.
  }
  throw failed('Not verified: the proof that this version is in the log of the store is malformed.');
}

/**
 * Verifies the proof of a version.
 * @param facts verified against the bundle
 * @throws CommandError
 */
export function verifyLogged(file: string, facts: SignedFacts, keys: KeyRing): LoggedVersion {
  const proof = readVersionProof(file);
  const checkpoint = proof && verifyVersionProof(proof, facts, keys.values());
  if (!checkpoint) throw failed(NOT_LOGGED);
  return { origin: checkpoint.origin, index: proof.index, size: checkpoint.size, file };
}

/**
 * Asks a store to prove that its log has a version.
 * @param keysOf the trusted keys of the store, with the one that is current now: it signed the checkpoint
 * @returns null for a store without a log
 * @throws CommandError when it does not prove it
 */
export async function loggedIn(
  client: StoreClient,
  facts: SignedFacts,
  release: Release & ReleaseSignature,
  keysOf: (current: string) => Promise<KeyRing>,
): Promise<LoggedVersion | null> {
  const { appId, version } = facts;
  const path = 'GET /api/apps/:appId/versions/:version/log-proof';
  const sent = await client.call(path, { params: { appId, version } }).catch((error: unknown) => {
    if (isNotFound(error)) return null;
    throw error;
  });
  if (!sent) return null;
  const { keyId } = await client.call('GET /api/apps/public-key');
  return verifyLogged(fileOf(sent.proof, release), facts, await keysOf(keyId));
}

/** Reads the file with a proof that a client kept. @throws CommandError */
export async function readProof(cwd: string, shown: string): Promise<VersionProof & { file: string }> {
  const file = await readFile(path.resolve(cwd, shown), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageError(`Cannot read ${shown} (${error.code}).`, { cause: error });
  });
  const proof = readVersionProof(file);
  if (!proof) throw usageError(`${shown} is not the proof of a version: write one with --save-proof.`);
  return { ...proof, file };
}
