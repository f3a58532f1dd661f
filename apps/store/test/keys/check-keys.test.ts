import { appendKey, generateSigningKeyPem, readSigningKey } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { checkKeysByChain, checkKeysBySignatures } from '../../src/keys/check-keys.ts';

const FILE = '/keys/signing-key.pem';
const first = readSigningKey(generateSigningKeyPem());
const second = readSigningKey(generateSigningKeyPem());
const stranger = readSigningKey(generateSigningKeyPem());

const alone = ({ keyId, publicKeyPem }: typeof first, createdAt = '2026-01-01T00:00:00.000Z') => [
  { keyId, publicKeyPem, createdAt },
];
const rotated = appendKey(alone(first), first, second, '2026-02-01T00:00:00.000Z');

describe('checkKeysByChain', () => {
  it('goes on with the newest key, and with the chain of the database when its file was lost', () => {
    expect(checkKeysByChain(rotated, rotated, FILE)).toEqual({ chain: rotated });
    expect(checkKeysByChain(rotated, alone(second), FILE)).toEqual({ chain: rotated });
    expect(checkKeysByChain(alone(second), rotated, FILE)).toEqual({ chain: rotated });
  });

  it('goes on with a key that the newest one signed, as after a database was restored', () => {
    expect(checkKeysByChain(alone(first), rotated, FILE)).toEqual({ chain: rotated });
  });

  it.each([
    ['a key that is missing', null, 'is not in /keys/signing-key.pem'],
    ['a retired key', alone(first), 'which was retired'],
    ['an unknown key', alone(stranger), 'which is not a key of this store'],
  ])('refuses %s, and says both ways out', (_name, held, why) => {
    const verdict = checkKeysByChain(rotated, held, FILE);
    expect(verdict).toEqual({ refused: expect.stringContaining(why) });
    expect(verdict).toEqual({ refused: expect.stringContaining(`keys declare-lost ${second.keyId}`) });
    expect(verdict).toEqual({ refused: expect.stringContaining('Mount the volume') });
  });
});

describe('checkKeysBySignatures', () => {
  it('takes the keys that signed what is there, and any key while nothing is signed', () => {
    expect(checkKeysBySignatures([first.keyId, second.keyId], rotated, FILE)).toEqual({ chain: rotated });
    expect(checkKeysBySignatures([], null, FILE)).toEqual({ chain: [] });
    expect(checkKeysBySignatures([], alone(stranger), FILE)).toEqual({ chain: alone(stranger) });
  });

  it('refuses a key that did not sign what is there', () => {
    for (const held of [null, alone(stranger)]) {
      expect(checkKeysBySignatures([first.keyId], held, FILE)).toEqual({
        refused: expect.stringContaining(first.keyId),
      });
    }
  });
});
