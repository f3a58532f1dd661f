import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createMac,
  hashSecret,
  newSecret,
  openEntry,
  sameSecret,
  sealEntry,
} from '../../src/platform/secret.ts';

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

it('a sealed entry opens with its state, and with no other', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), anyText(), (state, other, text) => {
      const sealed = sealEntry(state, text, randomBytes);
      expect(openEntry(state, sealed)).toBe(text.toWellFormed());
      if (other !== state) expect(() => openEntry(other, sealed)).toThrow();
    }),
  );
});

it('a sealed entry with a flipped bit does not open', () => {
  const bytes = Buffer.from(sealEntry('state', 'c0de', randomBytes), 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const turned = Buffer.from(bytes);
    turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => openEntry('state', turned.toString('base64url'))).toThrow();
  }
});
