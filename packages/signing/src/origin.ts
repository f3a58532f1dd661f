import { type Manifest, OriginStatement } from '@svc/contracts';
import { mayBeOrigin } from '@svc/contracts/store-address';
import { signJson, verifyJsonSignature } from './json-signature.ts';
import { type KeyRing, keyRing, keysFor, type SigningKey } from './keys.ts';
import { type Verification, verifyHashedBundle } from './verify-bundle.ts';

/** What the statement of an origin says. */
export type StatedOrigin = Omit<OriginStatement, 'signature' | 'keyId'>;

/**
 * Signs from which store a carried version comes. The signed fields are those of no other statement.
 * @throws ZodError when a field is unknown or malformed
 */
export function signOrigin(stated: StatedOrigin, key: SigningKey): OriginStatement {
  const signed = OriginStatement.omit({ signature: true, keyId: true }).parse(stated);
  return { ...signed, signature: signJson(signed, key), keyId: key.keyId };
}

/** Whether a value is the statement of an origin without unknown fields, signed by the pinned key that it names. */
export function verifyOrigin(statement: unknown, keys: KeyRing): statement is OriginStatement {
  const parsed = OriginStatement.safeParse(statement);
  if (!parsed.success) return false;
  const { signature, keyId, ...signed } = parsed.data;
  return keysFor(keys, keyId).some((key) => verifyJsonSignature(signed, signature, key));
}

/** Longest header with a statement, in characters. */
const MAX_HEADER = 8 * 1024;

/** A statement as the header `X-Svc-Origin` of a bundle. */
export const originHeader = (statement: OriginStatement): string =>
  Buffer.from(JSON.stringify(statement)).toString('base64url');

/**
 * The statement that the response with a bundle has, not verified.
 * @returns undefined without one; null for a header that is none, which no one signed
 */
export function originIn(headers: Headers): unknown {
  const text = headers.get('X-Svc-Origin');
  if (text === null) return undefined;
  if (text.length > MAX_HEADER) return null;
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
}

/**
 * Verifies what the origin of a carried version signed, with the key that its statement names. Whether that key is one of the origin, only the
 * origin itself can say: compare it with the keys that it lists.
 * @param sha256 computed SHA-256 of the zip as received, in hex
 * @param carrier canonical URL of the store that carries it
 */
export function verifyAtOrigin(
  sha256: string,
  manifest: Manifest,
  { appId, version, origin }: Pick<StatedOrigin, 'appId' | 'version' | 'origin'>,
  carrier: string,
): Verification {
  if (!mayBeOrigin(origin.store, carrier))
    return { ok: false, refusal: 'malformed', message: 'The address of the origin is not one of a store.' };
  const { publishedAt, signature, keyId, publicKeyPem } = origin;
  const release = { appId, version, sha256, publishedAt, signature, keyId };
  try {
    return verifyHashedBundle(sha256, manifest, release, keyRing([{ publicKeyPem }]));
  } catch {
    return { ok: false, refusal: 'malformed', message: 'The statement of the origin has no key.' };
  }
}
