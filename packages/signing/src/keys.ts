import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import type { PublicKey } from '@svc/contracts';

/** A private key with its id, which is stored with its signatures. */
export type SigningKey = { keyId: string; privateKey: KeyObject; publicKeyPem: string };

/** Public keys that a verifier trusts, by key id. */
export type KeyRing = ReadonlyMap<string, KeyObject>;

/** The id of a key is the beginning of the SHA-256 of its SPKI form, so that a key cannot be given the id of another. */
function keyIdOf(publicKey: KeyObject): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return `ed25519-${createHash('sha256').update(spki).digest('hex').slice(0, 16)}`;
}

const requireEd25519 = (key: KeyObject): KeyObject => {
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new TypeError(`The key is ${key.asymmetricKeyType}; it must be Ed25519.`);
  }
  return key;
};

/** Parses a key. Replaces the errors of OpenSSL, which do not say what is wrong. */
function parseKey(kind: 'private' | 'public', pem: string): KeyObject {
  try {
    return kind === 'private' ? createPrivateKey(pem) : createPublicKey(pem);
  } catch {
    const reason = pem.trim() === '' ? 'the text is empty' : 'the text is not such a key';
    const form = kind === 'private' ? 'PKCS #8' : 'SubjectPublicKeyInfo';
    throw new TypeError(`Expected a ${kind} Ed25519 key in PEM (${form}), but ${reason}.`);
  }
}

/** Generates an Ed25519 private key, in PKCS #8 PEM (RFC 8410). */
export const generateSigningKeyPem = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/**
 * Parses a private key.
 * @param pem PKCS #8 PEM of an Ed25519 key
 * @throws TypeError when the text is not a key, or the key is not Ed25519
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
 * Parses a public key and computes its id.
 * @param pem SubjectPublicKeyInfo PEM of an Ed25519 key
 * @throws TypeError when the text is not a public key, or the key is not Ed25519
 */
export function readPublicKey(pem: string): { keyId: string; publicKey: KeyObject } {
  // createPublicKey also accepts a private key and derives the public one, but a pinned file must never contain a private key.
  if (pem.includes('PRIVATE KEY')) throw new TypeError('This is a private key; give the public one.');
  const publicKey = requireEd25519(parseKey('public', pem));
  return { keyId: keyIdOf(publicKey), publicKey };
}

/** Whether an id is a name that a foreign store chose for its key: an id in the form of `keyIdOf` belongs to one key, in any letter case. */
export const isForeignKeyId = (keyId: string): boolean => /^(?!ed25519-)[!-~]{1,64}$/i.test(keyId);

/** The trusted keys that a signature may be of: the one with its id, or, for a name that a foreign store chose, any of them. */
export function keysFor(keys: KeyRing, keyId: string): readonly KeyObject[] {
  if (isForeignKeyId(keyId)) return [...keys.values()];
  const own = keys.get(keyId);
  return own ? [own] : [];
}

/** Builds the key ring of a verifier: the pinned keys by their computed ids. */
export const keyRing = (keys: readonly Pick<PublicKey, 'publicKeyPem'>[]): KeyRing =>
  new Map(
    keys.map(({ publicKeyPem }) => {
      const { keyId, publicKey } = readPublicKey(publicKeyPem);
      return [keyId, publicKey];
    }),
  );
