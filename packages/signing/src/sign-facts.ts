import { SignedFacts, type SignedFootprint } from '@svc/contracts';
import type { SigningKey } from './keys.ts';
import { sealJson } from './seal.ts';

/** What a signature binds beside the footprint. `publishedAt` is ISO 8601 in UTC, `sha256` the hex hash of the zip. */
export type Release = { appId: string; version: string; sha256: string; publishedAt: string };

/** What is kept of a signing. */
export type ReleaseSignature = { signature: string; keyId: string };

/**
 * The facts of a published version: exactly these seven keys are signed.
 * @throws ZodError when a hash or a time is malformed: nothing else may ever be signed as facts
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
  signature: sealJson(SignedFacts.parse(facts), key),
  keyId: key.keyId,
});
