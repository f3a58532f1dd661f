import { z } from 'zod';
import { KeyId, Signature, Timestamp } from './common.ts';

/** The key that checks what the store signs. */
export const PublicKey = z
  .object({ keyId: KeyId, publicKeyPem: z.string().describe('SubjectPublicKeyInfo in PEM (RFC 8410).') })
  .meta({ id: 'PublicKey' });
export type PublicKey = z.infer<typeof PublicKey>;

/** A key of the store, current or retired, and how it came to be trusted. */
export const StoreKey = z
  .strictObject({
    keyId: KeyId,
    publicKeyPem: z.string().describe('SubjectPublicKeyInfo in PEM (RFC 8410).'),
    createdAt: Timestamp,
    retiredAt: Timestamp.optional().describe('When the next key took over; absent for the current key.'),
    successorOf: KeyId.optional().describe('The key before it; absent for the first key.'),
    signature: Signature.optional().describe(
      'By the key before it, over the canonical JSON (RFC 8785) of `at` (the time `createdAt`), `keyId`, `publicKeyPem`, `since` (`createdAt` of the key before it) and `successorOf`.',
    ),
  })
  .meta({ id: 'StoreKey' });
export type StoreKey = z.infer<typeof StoreKey>;

/** More rotations than a store could make in a lifetime, so that checking a chain is bounded work. */
const MAX_KEYS = 1_000;

/** All keys of the store. */
export const PublicKeys = z
  .object({ keys: z.array(StoreKey).min(1).max(MAX_KEYS).describe('Oldest first, the current one last.') })
  .meta({ id: 'PublicKeys' });
export type PublicKeys = z.infer<typeof PublicKeys>;

/** A version that must not be used any more. */
export const RevocationEntry = z
  .strictObject({ appId: z.string(), version: z.string(), reason: z.string(), at: Timestamp })
  .meta({ id: 'RevocationEntry' });
export type RevocationEntry = z.infer<typeof RevocationEntry>;

/** The signed list of withdrawn versions. */
export const RevocationList = z
  .strictObject({
    entries: z.array(RevocationEntry).describe('Sorted by app id, version and time.'),
    signedAt: Timestamp,
    signature: Signature.describe('Over the canonical JSON (RFC 8785) of `entries` and `signedAt`.'),
  })
  .meta({ id: 'RevocationList' });
export type RevocationList = z.infer<typeof RevocationList>;
