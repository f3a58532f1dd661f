import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateSigningKeyPem, keyRing, keysFor, readPublicKey, readSigningKey } from '../src/index.ts';

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

  it('are found by their own id, and by any name that is in another form', () => {
    const keys = [1, 2].map(() => readSigningKey(generateSigningKeyPem()));
    const ring = keyRing(keys);
    const [first, second] = [...ring];
    expect(keysFor(ring, first?.[0] ?? '')).toEqual([first?.[1]]);
    for (const name of ['key-1', 'K', '~'.repeat(64)])
      expect(keysFor(ring, name)).toEqual([first?.[1], second?.[1]]);
    for (const name of [
      '',
      'ed25519-0000000000000000',
      first?.[0].toUpperCase() ?? '',
      'a b',
      'é',
      '~'.repeat(65),
    ])
      expect(keysFor(ring, name), name).toEqual([]);
  });
});
