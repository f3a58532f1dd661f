import { generateKeyPairSync, type KeyObject } from 'node:crypto';

const keys = new Map<string, KeyObject>();

/** A private RSA key: each takes a tenth of a second to make, so that every test of a process gets the same ones. */
export function rsaKey(name = 'signing'): KeyObject {
  const key = keys.get(name) ?? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  keys.set(name, key);
  return key;
}

/** That key as the JSON Web Key with which an OpenID provider signs (RFC 7517). */
export const signingJwk = () => ({
  ...rsaKey().export({ format: 'jwk' }),
  kty: 'RSA',
  use: 'sig',
  alg: 'RS256',
});
