import { SignedFacts, type SignedFootprint } from '@svc/contracts';
import { signJson } from './json-signature.ts';
import type { SigningKey } from './keys.ts';

/** What a signature covers in addition to the footprint. `publishedAt` is ISO 8601 in UTC, `sha256` the hex hash of the zip. */
export type Release = { appId: string; version: string; sha256: string; publishedAt: string };

/** The signature of a release. */
export type ReleaseSignature = { signature: string; keyId: string };

/**
 * Returns the facts of a published version: exactly these seven fields are signed.
 * @throws ZodError when a hash or a time is malformed
 */
export const factsOf = (release: Release, footprint: SignedFootprint): SignedFacts =>
  SignedFacts.parse({
    appId: release.appId,
    version: release.version,
    sha256: release.sha256,
    publishedAt: release.publishedAt,
    grants: footprint.grants,
    domains: footprint.domains,
    accounts: footprint.accounts,
  });

/** Signs the facts of a version with the store's key. */
export const signFacts = (facts: SignedFacts, key: SigningKey): ReleaseSignature => ({
  signature: signJson(SignedFacts.parse(facts), key),
  keyId: key.keyId,
});
