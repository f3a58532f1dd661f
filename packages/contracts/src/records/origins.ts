import { z } from 'zod';
import { named } from '../named.ts';
import { KeyId, Sha256, Signature, Timestamp } from './common.ts';

/** The store that a carried version comes from, and what it signed. */
export const VersionOrigin = named.strictObject('VersionOrigin', {
  store: z.url().max(500).describe('Address of the store that published the version first.'),
  publisher: z.string().max(40).describe('Slug of its publisher there, as in the manifest.'),
  publishedAt: Timestamp.describe('When that store published it; part of the facts that it signed.'),
  signature: Signature.describe('Signature of that store over the facts of the version.'),
  keyId: KeyId,
  publicKeyPem: z
    .string()
    .max(1_000)
    .describe('The key of that store which made the signature, as SubjectPublicKeyInfo in PEM (RFC 8410).'),
});
export type VersionOrigin = z.infer<typeof VersionOrigin>;

/** The statement of a store that it carries a version of another store. */
export const OriginStatement = named.strictObject('OriginStatement', {
  appId: z.string(),
  version: z.string(),
  sha256: Sha256,
  origin: VersionOrigin,
  carriedAt: Timestamp.describe('When this store published it.'),
  carriedBy: z.string().max(100).describe('The name of this store.'),
  signature: Signature.describe(
    'Signature of the current key over the canonical JSON (RFC 8785) of `appId`, `carriedAt`, `carriedBy`, `origin`, `sha256` and `version`.',
  ),
  keyId: KeyId,
});
export type OriginStatement = z.infer<typeof OriginStatement>;

/** The origin of a carried version, with what its catalogue said when the version was carried. Nothing of `said` is signed. */
export const CarriedOrigin = named.object('CarriedOrigin', {
  ...VersionOrigin.shape,
  said: z.object({
    publisherName: z.string(),
    verified: z.boolean().describe('Whether that store verified the publisher.'),
    reviewed: z
      .boolean()
      .nullable()
      .describe('Whether a moderator reviewed the version there; null when it does not say.'),
    installs: z.int().min(0),
  }),
});
export type CarriedOrigin = z.infer<typeof CarriedOrigin>;
