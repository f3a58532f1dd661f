import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateSigningKeyPem, keyRing, readPublicKey, readSigningKey } from '../src/index.ts';

describe('keys', () => {
  it('derives the same id from a private key and its public key', () => {
    const key = readSigningKey(generateSigningKeyPem());
    expect(key.keyId).toMatch(/^ed25519-[0-9a-f]{16}$/);
    expect(readPublicKey(key.publicKeyPem).keyId).toBe(key.keyId);
    expect([...keyRing([key]).keys()]).toEqual([key.keyId]);
  });

  it('refuses a key of another type', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(() => readSigningKey(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)).toThrow(
      'Ed25519',
    );
    expect(() => readPublicKey(rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string)).toThrow(
      'Ed25519',
    );
  });

  it('refuses a private key as a public key', () => {
    expect(() => readPublicKey(generateSigningKeyPem())).toThrow('private key');
  });

  it.each([
    ['hello', 'the text is not such a key'],
    ['', 'the text is empty'],
    [' \n', 'the text is empty'],
  ])('refuses %j, which is not a key', (text, why) => {
    expect(() => readSigningKey(text)).toThrow(
      new TypeError(`Expected a private Ed25519 key in PEM (PKCS #8), but ${why}.`),
    );
    expect(() => readPublicKey(text)).toThrow(
      new TypeError(`Expected a public Ed25519 key in PEM (SubjectPublicKeyInfo), but ${why}.`),
    );
  });
});
