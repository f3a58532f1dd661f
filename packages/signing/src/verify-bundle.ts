import { createHash } from 'node:crypto';
import { type Manifest, SignedFacts } from '@svc/contracts';
import { signedFootprintOf } from '@svc/permissions';
import { verifyJsonSignature } from './json-signature.ts';
import { type KeyRing, keysFor } from './keys.ts';
import { factsOf, type Release, type ReleaseSignature } from './sign-facts.ts';

const MESSAGES = {
  'hash-mismatch': 'The bundle is not the one that the store signed: its SHA-256 differs.',
  'wrong-app': 'The manifest in the bundle has another app id than the requested one.',
  'wrong-version': 'The manifest in the bundle has another version than the requested one.',
  'unknown-key': 'The bundle is signed with a key that is not pinned.',
  'bad-signature': 'The signature is not valid for this app, version, hash, time and permissions.',
  malformed: 'The store returned malformed facts about the version.',
} as const;

/** Why a bundle does not verify. */
export type Refusal = keyof typeof MESSAGES;

export type Verification =
  | {
      ok: true;
      facts: SignedFacts;
      /** Id of the key that verified it: the id that a release names is not signed. */
      signer: string;
    }
  | { ok: false; refusal: Refusal; message: string };

const refuse = (refusal: Refusal): Verification => ({ ok: false, refusal, message: MESSAGES[refusal] });

/**
 * Verifies that a bundle is what the store signed. The facts are computed from the manifest in the bundle, so a
 * store or a mirror cannot claim other permissions than the app uses.
 * @param bytes the zip as received
 * @param manifest the manifest from those bytes, without validation errors
 * @param release the requested app and version, and the received hash, time and signature
 * @param keys the pinned keys; a signature by another key is refused
 */
export const verifyBundle = (
  bytes: Uint8Array,
  manifest: Manifest,
  release: Release & ReleaseSignature,
  keys: KeyRing,
): Verification =>
  verifyHashedBundle(createHash('sha256').update(bytes).digest('hex'), manifest, release, keys);

/**
 * Like `verifyBundle`, for a caller that has computed the hash while downloading.
 * @param sha256 computed SHA-256 of the zip as received, in hex; never one that a sender claims
 */
export function verifyHashedBundle(
  sha256: string,
  manifest: Manifest,
  release: Release & ReleaseSignature,
  keys: KeyRing,
): Verification {
  if (sha256 !== release.sha256) return refuse('hash-mismatch');
  if (manifest.id !== release.appId) return refuse('wrong-app');
  if (manifest.version !== release.version) return refuse('wrong-version');
  const candidates = keysFor(keys, release.keyId);
  if (candidates.length === 0) return refuse('unknown-key');
  if (!SignedFacts.shape.publishedAt.safeParse(release.publishedAt).success) return refuse('malformed');
  const facts = factsOf(release, signedFootprintOf(manifest));
  const signer = [...keys].find(
    ([, key]) => candidates.includes(key) && verifyJsonSignature(facts, release.signature, key),
  );
  return signer ? { ok: true, facts, signer: signer[0] } : refuse('bad-signature');
}
