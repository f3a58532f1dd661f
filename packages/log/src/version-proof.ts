import type { KeyObject } from 'node:crypto';
import { type PublishedExtra, type SignedFacts, VersionProofExtra } from '@svc/contracts';
import { canonicalJson, type ReleaseSignature } from '@svc/signing';
import { claimedOrigin, type OpenedCheckpoint, openCheckpoint } from './checkpoint.ts';
import { encodeEntry, publishedEntry } from './entries.ts';
import { leafHash } from './hashes.ts';
import { isKeyName, type NoteKey, noteKey } from './note.ts';
import { formatProofFile, type ProofFile, readProofFile } from './proof-file.ts';
import { verifyInclusion } from './tree.ts';

/** The keys of a log under its origin; none for an origin that cannot be the name of a key. */
export const logKeysOf = (origin: string, keys: Iterable<KeyObject>): NoteKey[] =>
  isKeyName(origin) ? Array.from(keys, (key) => noteKey(origin, key)) : [];

/** Whether a tree has the entry of a published version, by the proof that it has. */
export const isLogged = (
  { index, hashes }: Pick<ProofFile, 'index' | 'hashes'>,
  { size, root }: Pick<OpenedCheckpoint, 'size' | 'root'>,
  [facts, signed, extra]: [SignedFacts, ReleaseSignature, PublishedExtra],
): boolean =>
  verifyInclusion(leafHash(encodeEntry(publishedEntry(facts, signed, extra))), index, size, hashes, root);

/**
 * Formats the proof of a version as a file that is verified with the bundle and the keys of the store alone (tlog-proof): its `extra` has
 * what the bundle does not say.
 */
export const formatVersionProof = (proof: ProofFile, extra: VersionProofExtra): string =>
  formatProofFile({ ...proof, extra: canonicalJson(extra) });

/** A proof of a version. None of it is trusted before it is verified. */
export type VersionProof = ProofFile & { release: VersionProofExtra };

/** Reads the proof of a version; null for another file. */
export function readVersionProof(text: string): VersionProof | null {
  const proof = readProofFile(text);
  try {
    const extra = Buffer.from(proof?.extra ?? []).toString('utf8');
    return proof && { ...proof, release: VersionProofExtra.parse(JSON.parse(extra)) };
  } catch {
    return null;
  }
}

/**
 * Verifies, without a network, that a version is in a log. Verify the facts against the bundle first.
 * @param keys all trusted keys of the store: a proof outlives the key that signed its checkpoint
 * @returns the checkpoint, whose origin names the store; null when the proof does not hold
 */
export function verifyVersionProof(
  { release, ...proof }: VersionProof,
  facts: SignedFacts,
  keys: Iterable<KeyObject>,
): OpenedCheckpoint | null {
  const origin = claimedOrigin(proof.checkpoint) ?? '';
  const checkpoint = openCheckpoint(proof.checkpoint, origin, logKeysOf(origin, keys));
  const { publisher, by, signature, keyId } = release;
  const isIn = checkpoint && isLogged(proof, checkpoint, [facts, { signature, keyId }, { publisher, by }]);
  return isIn ? checkpoint : null;
}
