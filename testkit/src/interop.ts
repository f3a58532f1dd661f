import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The files of a folder of vectors by name, without its README. */
export type InteropFiles = ReadonlyMap<string, Uint8Array>;

/** Folder of vectors for other implementations: `interop/<name>/`. */
export const interopFolder = (name: string): URL => new URL(`../../interop/${name}/`, import.meta.url);

/** Reads a file of vectors. */
export const readInterop = (folder: string, file = 'vectors.json'): unknown =>
  JSON.parse(readFileSync(new URL(file, interopFolder(folder)), 'utf8'));

/** Formats a value as in a file of vectors. */
export const interopJson = (value: unknown): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);

/** A key pair of vectors. `seed` is the private key of RFC 8032. */
export type TestKey = { seed: Uint8Array; privateKey: KeyObject; publicKeyPem: string; keyId: string };

/** The bytes before the seed of an Ed25519 key in PKCS #8 (RFC 8410 section 7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The Ed25519 key of a label: always the same, so that vectors are reproducible, and therefore public. Its seed is
 * the SHA-256 of the label; its id is computed independently of the code under test.
 */
export function testKey(label: string): TestKey {
  const seed = createHash('sha256').update(label).digest();
  const key = Buffer.concat([PKCS8_HEAD, seed]);
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return {
    seed,
    privateKey,
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    keyId: `ed25519-${createHash('sha256').update(spki).digest('hex').slice(0, 16)}`,
  };
}
