import { appendKey, generateSigningKeyPem, readSigningKey } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { checkKeysByChain, checkKeysBySignatures } from '../../../src/core/keys/check-keys.ts';

const FILE = '/keys/signing-key.pem';
const first = readSigningKey(generateSigningKeyPem());
const second = readSigningKey(generateSigningKeyPem());
const unknownKey = readSigningKey(generateSigningKeyPem());

const alone = ({ keyId, publicKeyPem }: typeof first, createdAt = '2026-01-01T00:00:00.000Z') => [
  { keyId, publicKeyPem, createdAt },
];
const rotated = appendKey(alone(first), first, second, '2026-02-01T00:00:00.000Z');

describe('checkKeysByChain', () => {
  it('accepts the newest key, and uses the longer chain of database and file', () => {
    expect(checkKeysByChain(rotated, rotated, FILE)).toEqual({ chain: rotated });
    expect(checkKeysByChain(rotated, alone(second), FILE)).toEqual({ chain: rotated });
    expect(checkKeysByChain(alone(second), rotated, FILE)).toEqual({ chain: rotated });
  });

  it('accepts a key that the newest key of the database signed, as after a restore of the database', () => {
    expect(checkKeysByChain(alone(first), rotated, FILE)).toEqual({ chain: rotated });
  });

  it.each([
    ['a key that is missing', null, 'is not in /keys/signing-key.pem'],
    ['a retired key', alone(first), 'which was retired'],
    ['an unknown key', alone(unknownKey), 'which is not a key of this store'],
  ])('refuses %s, and explains both ways to recover', (_name, held, why) => {
    const verdict = checkKeysByChain(rotated, held, FILE);
    expect(verdict).toEqual({ refused: expect.stringContaining(why) });
    expect(verdict).toEqual({ refused: expect.stringContaining(`keys declare-lost ${second.keyId}`) });
    expect(verdict).toEqual({ refused: expect.stringContaining('Mount the volume') });
  });
});

describe('checkKeysBySignatures', () => {
  it('accepts the keys that signed the versions, and any key while no version is signed', () => {
    expect(checkKeysBySignatures([first.keyId, second.keyId], rotated, FILE)).toEqual({ chain: rotated });
    expect(checkKeysBySignatures([], null, FILE)).toEqual({ chain: [] });
    expect(checkKeysBySignatures([], alone(unknownKey), FILE)).toEqual({ chain: alone(unknownKey) });
  });

  it('refuses a key that did not sign the versions', () => {
    for (const held of [null, alone(unknownKey)]) {
      expect(checkKeysBySignatures([first.keyId], held, FILE)).toEqual({
        refused: expect.stringContaining(first.keyId),
      });
    }
  });
});
