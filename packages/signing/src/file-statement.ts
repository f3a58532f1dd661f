import { createHash } from 'node:crypto';
import { FileStatement } from '@svc/contracts';
import { signJson, verifyJsonSignature } from './json-signature.ts';
import { type KeyRing, keysFor, type SigningKey } from './keys.ts';

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Signs a file of the store that other programs read, such as a list of allowed servers. The signed fields are those of no other statement.
 * @param file name of the file, so that one list is not taken for another
 * @param signedAt ISO 8601 in UTC
 */
export function signFile(file: string, bytes: Uint8Array, signedAt: string, key: SigningKey): FileStatement {
  const signed = { file, sha256: sha256Of(bytes), signedAt };
  return { ...signed, signature: signJson(signed, key), keyId: key.keyId };
}

/** Whether a value is the statement of these bytes under this name, signed by the pinned key that it names. */
export function verifyFile(file: string, bytes: Uint8Array, statement: unknown, keys: KeyRing): boolean {
  const parsed = FileStatement.safeParse(statement);
  if (!parsed.success) return false;
  const { signature, keyId, ...signed } = parsed.data;
  const isOfFile = signed.file === file && signed.sha256 === sha256Of(bytes);
  return isOfFile && keysFor(keys, keyId).some((key) => verifyJsonSignature(signed, signature, key));
}
