import { generateKeyPairSync, type KeyObject } from 'node:crypto';

const keys = new Map<string, KeyObject>();

/** A private RSA key. Generating one takes 0.1 s, so all tests of a process share the same ones. */
export function rsaKey(name = 'signing'): KeyObject {
  const key = keys.get(name) ?? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  keys.set(name, key);
  return key;
}

/** The same key as the JSON Web Key with which an OpenID provider signs (RFC 7517). */
export const signingJwk = () => ({
  ...rsaKey().export({ format: 'jwk' }),
  kty: 'RSA',
  use: 'sig',
  alg: 'RS256',
});
