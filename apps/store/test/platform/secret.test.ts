import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMac, hashSecret, newSecret, sameSecret } from '../../src/platform/secret.ts';

const keyOf = () => generateKeyPairSync('ed25519').privateKey;

describe('a secret', () => {
  it('has 256 random bits, encoded as base64url', () => {
    const asked: number[] = [];
    const secret = newSecret((length) => {
      asked.push(length);
      return new Uint8Array(length).fill(0xff);
    });
    expect(asked).toEqual([32]);
    expect(secret).toBe(Buffer.alloc(32, 0xff).toString('base64url'));
  });

  it('is stored as a hash, which cannot be used as the secret', () => {
    expect(hashSecret('secret')).toMatch(/^[0-9a-f]{64}$/);
    expect(hashSecret(hashSecret('secret'))).not.toBe(hashSecret('secret'));
  });

  it('is compared in full, also with another length', () => {
    expect(sameSecret('secret', 'secret')).toBe(true);
    for (const other of ['', 'secre', 'secrets', 'Secret', 'secret\u0000'])
      expect(sameSecret('secret', other)).toBe(false);
  });
});

describe('a MAC', () => {
  it('is the same only for the same key, purpose and text', () => {
    const key = keyOf();
    const seal = createMac(key, 'setup link')('text');
    expect(createMac(key, 'setup link')('text')).toBe(seal);
    expect(Buffer.from(seal, 'base64url')).toHaveLength(32);
    const others = [
      createMac(key, 'setup link')('other'),
      createMac(key, 'reset link')('text'),
      createMac(keyOf(), 'setup link')('text'),
    ];
    expect(new Set([seal, ...others]).size).toBe(4);
  });
});
