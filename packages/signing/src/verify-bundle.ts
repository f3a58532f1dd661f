import { createHash } from 'node:crypto';
import { type Manifest, SignedFacts } from '@svc/contracts';
import { signedFootprintOf } from '@svc/permissions';
import type { KeyRing } from './keys.ts';
import { sealHolds } from './seal.ts';
import { factsOf, type Release, type ReleaseSignature } from './sign-facts.ts';

/** Why a bundle is not what the store signed. */
export type Refusal =
  | 'hash-mismatch'
  | 'wrong-app'
  | 'wrong-version'
  | 'unknown-key'
  | 'bad-signature'
  | 'malformed';

export type Verification =
  | { ok: true; facts: SignedFacts }
  | { ok: false; refusal: Refusal; message: string };

const MESSAGES: Record<Refusal, string> = {
  'hash-mismatch': 'The bundle is not the one the store signed: its SHA-256 differs.',
  'wrong-app': 'The manifest inside names another app than the one asked for.',
  'wrong-version': 'The manifest inside names another version than the one asked for.',
  'unknown-key': 'The signature is by a key that is not pinned.',
  'bad-signature': 'The signature does not cover this app, version, hash, time and permissions.',
  malformed: 'What the store says of the version is not well formed.',
};

const refuse = (refusal: Refusal): Verification => ({ ok: false, refusal, message: MESSAGES[refusal] });

/**
 * Checks that a bundle is what the store signed. The facts are made again from the manifest inside the bundle, so a
 * store or a mirror cannot claim other permissions than the app will use.
 * @param bytes the zip as received
 * @param manifest the manifest read from those bytes, free of validation errors
 * @param release what was asked for and received: app, version, hash, time
 * @param keys the pinned keys; a signature by any other is refused
 */
export const verifyBundle = (
  bytes: Uint8Array,
  manifest: Manifest,
  release: Release & ReleaseSignature,
  keys: KeyRing,
): Verification =>
  verifyHashedBundle(createHash('sha256').update(bytes).digest('hex'), manifest, release, keys);

/**
 * `verifyBundle` for who has hashed the bytes already, as they came in.
 * @param sha256 of the zip as received, in hex; computed, never as a sender states it
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
  const key = keys.get(release.keyId);
  if (!key) return refuse('unknown-key');
  if (!SignedFacts.shape.publishedAt.safeParse(release.publishedAt).success) return refuse('malformed');
  const facts = factsOf(release, signedFootprintOf(manifest));
  return sealHolds(facts, release.signature, key) ? { ok: true, facts } : refuse('bad-signature');
}
