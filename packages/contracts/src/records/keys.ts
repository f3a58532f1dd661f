import { z } from 'zod';
import { KeyId, Signature, Timestamp } from './common.ts';

/** The key that checks what the store signs. */
export const PublicKey = z
  .object({ keyId: KeyId, publicKeyPem: z.string().describe('SubjectPublicKeyInfo in PEM (RFC 8410).') })
  .meta({ id: 'PublicKey' });
export type PublicKey = z.infer<typeof PublicKey>;

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
