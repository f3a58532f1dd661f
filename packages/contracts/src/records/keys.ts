import { z } from 'zod';
import { KeyId, Signature, Timestamp } from './common.ts';

/** The current public key of the store: verifies its signatures. */
export const PublicKey = z
  .object({
    keyId: KeyId,
    publicKeyPem: z.string().describe('The key as SubjectPublicKeyInfo in PEM (RFC 8410).'),
  })
  .meta({ id: 'PublicKey' });
export type PublicKey = z.infer<typeof PublicKey>;

/** A key of the store, current or retired, with the signature of its predecessor. */
export const StoreKey = z
  .strictObject({
    keyId: KeyId,
    publicKeyPem: z.string().describe('The key as SubjectPublicKeyInfo in PEM (RFC 8410).'),
    createdAt: Timestamp,
    retiredAt: Timestamp.optional().describe('When the next key replaced it; absent for the current key.'),
    successorOf: KeyId.optional().describe('Id of the previous key; absent for the first key.'),
    signature: Signature.optional().describe(
      'Signature of the previous key over the canonical JSON (RFC 8785) of `at` (the value of `createdAt`), `keyId`, `publicKeyPem`, `since` (`createdAt` of the previous key) and `successorOf`.',
    ),
  })
  .meta({ id: 'StoreKey' });
export type StoreKey = z.infer<typeof StoreKey>;

/** Bounds the work of checking a chain; far above the rotations of any store. */
const MAX_KEYS = 1_000;

/** All keys of the store. */
export const PublicKeys = z
  .object({
    keys: z.array(StoreKey).min(1).max(MAX_KEYS).describe('Oldest first; the last is the current key.'),
  })
  .meta({ id: 'PublicKeys' });
export type PublicKeys = z.infer<typeof PublicKeys>;

/** A yanked version. It must not be used any more. */
export const RevocationEntry = z
  .strictObject({ appId: z.string(), version: z.string(), reason: z.string(), at: Timestamp })
  .meta({ id: 'RevocationEntry' });
export type RevocationEntry = z.infer<typeof RevocationEntry>;

/** The signed list of yanked versions. */
export const RevocationList = z
  .strictObject({
    entries: z.array(RevocationEntry).describe('Sorted by app id, version and time.'),
    signedAt: Timestamp,
    signature: Signature.describe(
      'Signature over the canonical JSON (RFC 8785) of `entries` and `signedAt`.',
    ),
  })
  .meta({ id: 'RevocationList' });
export type RevocationList = z.infer<typeof RevocationList>;
