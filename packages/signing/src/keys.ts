import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import type { PublicKey } from '@svc/contracts';

/** A private key that signs, with the name its signatures carry. */
export type SigningKey = { keyId: string; privateKey: KeyObject; publicKeyPem: string };

/** Public keys that a verifier trusts, by key id. */
export type KeyRing = ReadonlyMap<string, KeyObject>;

/** A key's name is the start of the SHA-256 of its SPKI form, so that nobody can give a key another's name. */
function keyIdOf(publicKey: KeyObject): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return `ed25519-${createHash('sha256').update(spki).digest('hex').slice(0, 16)}`;
}

const requireEd25519 = (key: KeyObject): KeyObject => {
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new TypeError(`The key is ${key.asymmetricKeyType ?? 'symmetric'}; it must be Ed25519.`);
  }
  return key;
};

/** Reads a key; what OpenSSL says of text that is no key helps no operator. */
function parseKey(kind: 'private' | 'public', pem: string): KeyObject {
  try {
    return kind === 'private' ? createPrivateKey(pem) : createPublicKey(pem);
  } catch {
    const found = pem.trim() === '' ? 'is empty' : 'holds none';
    const form = kind === 'private' ? 'PKCS #8' : 'SubjectPublicKeyInfo';
    throw new TypeError(`A ${kind} Ed25519 key in PEM (${form}) is needed; the text ${found}.`);
  }
}

/** Makes a new Ed25519 private key, in PKCS #8 PEM (RFC 8410). */
export const generateSigningKeyPem = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/**
 * Reads a private key.
 * @param pem PKCS #8 PEM of an Ed25519 key
 * @throws when the text is no key, or the key is not Ed25519
 */
export function readSigningKey(pem: string): SigningKey {
  const privateKey = requireEd25519(parseKey('private', pem));
  const publicKey = createPublicKey(privateKey);
  return {
    keyId: keyIdOf(publicKey),
    privateKey,
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
  };
}

/**
 * Reads a public key; the id is computed, never believed.
 * @param pem SubjectPublicKeyInfo PEM of an Ed25519 key
 * @throws when the text is no public key, or the key is not Ed25519
 */
export function readPublicKey(pem: string): { keyId: string; publicKey: KeyObject } {
  // createPublicKey would also take a private key and derive the public one: a pinned file must never hold that.
  if (pem.includes('PRIVATE KEY')) throw new TypeError('This is a private key; give the public one.');
  const publicKey = requireEd25519(parseKey('public', pem));
  return { keyId: keyIdOf(publicKey), publicKey };
}

/** The keys a verifier pins, by their computed ids. */
export const keyRing = (keys: readonly Pick<PublicKey, 'publicKeyPem'>[]): KeyRing =>
  new Map(
    keys.map(({ publicKeyPem }) => {
      const { keyId, publicKey } = readPublicKey(publicKeyPem);
      return [keyId, publicKey];
    }),
  );
