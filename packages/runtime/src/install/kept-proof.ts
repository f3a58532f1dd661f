import { readVersionProof, verifyVersionProof } from '@svc/log';
import { factsOf } from '@svc/signing';
import { readLogProof } from '../library/app-table.ts';
import type { StoreApp } from '../library/installed-app.ts';
import type { LibraryStorage } from '../library/library-storage.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { StoreKeys } from '../store/store-keys.ts';
import { openBundle } from './admit-version.ts';

/** The proof of an installed version, verified: the place of its entry in the log of its store. */
export type KeptProof = {
  /** The name of the log: the address of the store without its scheme. */
  origin: string;
  index: number;
  /** Entries of the log at the install. */
  size: number;
  /** The proof (tlog-proof), which `svc verify FILE --proof` verifies with the bundle. */
  file: string;
};

export type KeptProofDeps = Pick<LibraryStorage, 'database' | 'bundles'> & {
  keys: Pick<StoreKeys, 'forFacts'>;
  localApps?: boolean | undefined;
};

const refuse = (message: string): RuntimeError => new RuntimeError('not-verified', message);

/**
 * Verifies the proof that was kept with an install, without the network.
 * @returns null without one
 * @throws RuntimeError `not-verified`, `invalid-app`
 */
export async function verifyKeptProof(
  { database, bundles, keys, localApps }: KeptProofDeps,
  { appId, version, source: { sha256, publishedAt, keyId } }: StoreApp,
): Promise<KeptProof | null> {
  const file = readLogProof(database, appId);
  if (file === null) return null;
  const proof = readVersionProof(file);
  const bytes = await bundles.read(sha256);
  if (!proof || !bytes)
    throw refuse('The bundle of this app, or the proof that was kept with it, is damaged.');
  const release = { appId, version, sha256, publishedAt, keyId, signature: proof.release.signature };
  const ring = await keys.forFacts(keyId);
  const { footprint } = await openBundle({ bytes, sha256, release }, ring, localApps);
  const checkpoint = verifyVersionProof(proof, factsOf(release, footprint), ring.values());
  if (!checkpoint)
    throw refuse('The proof that was kept with this app does not prove that its version is in the log.');
  return { origin: checkpoint.origin, index: proof.index, size: checkpoint.size, file };
}
