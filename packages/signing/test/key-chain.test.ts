import { verify } from 'node:crypto';
import type { StoreKey } from '@svc/contracts';
import { readInterop } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  appendKey,
  canonicalJson,
  firstKeys,
  followKeys,
  generateSigningKeyPem,
  keyRing,
  readSigningKey,
  type SigningKey,
  signJson,
  signRevocations,
  verifyKeyChain,
  verifyRevocationList,
} from '../src/index.ts';
import type { KeyVector } from './support/key-vectors.ts';

const newKey = () => readSigningKey(generateSigningKeyPem());
const day = (n: number) => `2026-01-0${n}T00:00:00.000Z`;

const root = ({ keyId, publicKeyPem }: SigningKey): StoreKey[] => [
  { keyId, publicKeyPem, createdAt: day(1) },
];

const signers = [newKey(), newKey(), newKey()] as const;
const [first, second, third] = signers;
const two = appendKey(root(first), first, second, day(2));
const chain = appendKey(two, second, third, day(3));
const stranger = newKey();

const idsOf = (pinned: SigningKey, keys: unknown) => {
  const verdict = verifyKeyChain(pinned, keys);
  return verdict.ok ? verdict.keys.map(({ keyId }) => keyId) : verdict.refusal;
};

/** The chain with one key changed. */
const changed = (index: number, change: Record<string, unknown>) =>
  chain.map((key, at) => (at === index ? { ...key, ...change } : key));

describe('a chain of keys', () => {
  it('is trusted from the pinned key onwards, and not before it', () => {
    expect(idsOf(first, chain)).toEqual([first.keyId, second.keyId, third.keyId]);
    expect(idsOf(second, chain)).toEqual([second.keyId, third.keyId]);
    expect(idsOf(third, chain)).toEqual([third.keyId]);
    expect(idsOf(first, root(first))).toEqual([first.keyId]);
  });

  it('lists when each key was retired, and which key it follows', () => {
    expect(chain).toMatchObject([
      { createdAt: day(1), retiredAt: day(2) },
      { createdAt: day(2), retiredAt: day(3), successorOf: first.keyId },
      { createdAt: day(3), successorOf: second.keyId },
    ]);
    expect(chain[0]).not.toHaveProperty('signature');
    expect(chain[2]).not.toHaveProperty('retiredAt');
  });

  it('is refused when a key begins with the one before it, or the first one follows another', () => {
    const successor = { keyId: second.keyId, publicKeyPem: second.publicKeyPem };
    const link = { ...successor, at: day(2), since: day(2), successorOf: first.keyId };
    const handed = { createdAt: day(2), successorOf: first.keyId, signature: signJson(link, first) };
    const last = { ...two[0], createdAt: day(2) };
    expect(idsOf(first, [last, { ...successor, ...handed }])).toBe('broken');
    const { successorOf, signature } = chain[1] as StoreKey;
    for (const follows of [{ successorOf }, { signature }, { successorOf, signature }])
      expect(idsOf(first, [{ ...root(first)[0], ...follows }])).toBe('broken');
  });

  it('is refused when another key is pinned', () => {
    expect(idsOf(stranger, chain)).toBe('not-pinned');
  });

  it.each([0, 1, 2])('is refused with any bit of any field of key %i flipped', (index) => {
    const key = chain[index] as StoreKey;
    for (const [name, text] of Object.entries(key as Record<string, string>)) {
      for (let bit = 0; bit < text.length * 8; bit += 1) {
        const bytes = Buffer.from(text, 'latin1');
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const forged = changed(index, { [name]: bytes.toString('latin1') });
        const pinned = signers[bit % signers.length] as SigningKey;
        expect(verifyKeyChain(pinned, forged).ok).toBe(false);
      }
    }
  });

  it('is refused with any field of any key missing, empty or of another type', () => {
    chain.forEach((key, index) => {
      for (const name of Object.keys(key)) {
        for (const value of [undefined, null, '', 0, {}, [key]]) {
          expect(verifyKeyChain(first, changed(index, { [name]: value })).ok).toBe(false);
        }
      }
      expect(idsOf(first, changed(index, { extra: 1 }))).toBe('malformed');
    });
  });

  it('is refused with keys missing, repeated or in another order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2), { maxLength: 6 }), (indices) => {
        const keys = indices.map((index) => chain[index]);
        const verdict = verifyKeyChain(first, keys);
        expect(verdict.ok).toBe(indices.join() === '0,1,2');
      }),
    );
  });

  it('is refused for any other value, without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(verifyKeyChain(first, value).ok).toBe(false);
        expect(verifyKeyChain(first, [...chain, value]).ok).toBe(false);
      }),
    );
  });

  it('is trusted from any pinned key onwards, for any number of rotations', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(7), (length, pin) => {
        const keys = Array.from({ length }, newKey);
        let made = root(keys[0] as SigningKey);
        for (let n = 1; n < length; n += 1) {
          made = appendKey(made, keys[n - 1] as SigningKey, keys[n] as SigningKey, day(n + 1));
        }
        const pinned = keys[pin % length] as SigningKey;
        expect(idsOf(pinned, made)).toEqual(keys.slice(pin % length).map(({ keyId }) => keyId));
      }),
      { numRuns: 20 },
    );
  });
});

describe('a forged successor', () => {
  it('is refused when another key signed it', () => {
    const foreign = appendKey(
      [{ keyId: stranger.keyId, publicKeyPem: stranger.publicKeyPem, createdAt: day(1) }],
      stranger,
      third,
      day(2),
    )[1];
    expect(
      idsOf(first, [
        { ...root(first)[0], retiredAt: day(2) },
        { ...foreign, successorOf: first.keyId },
      ]),
    ).toBe('broken');
  });

  it('is refused when it signed itself', () => {
    const { keyId, publicKeyPem } = second;
    const link = { at: day(2), keyId, publicKeyPem, since: day(1), successorOf: first.keyId };
    expect(idsOf(first, changed(1, { signature: signJson(link, first) }))).toHaveLength(3);
    expect(idsOf(first, changed(1, { signature: signJson(link, second) }))).toBe('broken');
  });

  it('cannot be signed by a retired key', () => {
    const fork = appendKey(root(first), first, stranger, day(4));
    expect(idsOf(second, fork)).toBe('not-pinned');
    expect(idsOf(first, [...chain, { ...fork[1], createdAt: day(4) }])).toBe('broken');
  });

  it('does not make a key before the pinned key trusted', () => {
    const forged = appendKey(root(stranger), stranger, first, day(2));
    expect(idsOf(first, forged)).toEqual([first.keyId]);
  });

  it('cannot use the signature of a revocation list, nor the reverse', () => {
    const list = signRevocations([], day(2), first);
    expect(idsOf(first, changed(1, { signature: list.signature }))).toBe('broken');
    expect(verifyRevocationList({ ...list, signature: chain[1]?.signature }, keyRing([first]))).toBe(false);
    expect(verifyRevocationList({ ...chain[1] }, keyRing([first]))).toBe(false);
  });
});

describe('a handover', () => {
  it('requires the current key, and a time after its creation', () => {
    expect(() => appendKey(chain, first, stranger, day(4))).toThrow('Only the current key');
    expect(() => appendKey([], first, stranger, day(4))).toThrow('Only the current key');
    expect(() => appendKey(chain, third, stranger, day(3))).toThrow('was created at');
  });

  it('refuses a key that was already used', () => {
    expect(() => appendKey(chain, third, first, day(4))).toThrow('already used this key');
    expect(() => appendKey(chain, third, third, day(4))).toThrow('already used this key');
  });

  it('to an earlier key is refused, even if each key signed the next', () => {
    const back = appendKey(root(third), third, first, day(4))[1] as StoreKey;
    const text = { at: day(4), keyId: first.keyId, publicKeyPem: first.publicKeyPem };
    const signature = signJson({ ...text, since: day(3), successorOf: third.keyId }, third);
    const looped = [...chain.slice(0, 2), { ...chain[2], retiredAt: day(4) }, { ...back, signature }];
    for (const pinned of signers) expect(idsOf(pinned, looped)).toBe('broken');
  });

  it('signs exactly five fields', () => {
    const next = chain[1] as StoreKey;
    const signed = canonicalJson({
      at: day(2),
      keyId: second.keyId,
      publicKeyPem: second.publicKeyPem,
      since: day(1),
      successorOf: first.keyId,
    });
    expect(new TextDecoder().decode(signed)).toContain(`"since":"${day(1)}"`);
    const key = keyRing([first]).get(first.keyId);
    expect(key && verify(null, signed, key, Buffer.from(next.signature ?? '', 'base64'))).toBe(true);
  });
});

describe('the keys that a reader of a store trusts', () => {
  const bare = ({ keyId, publicKeyPem }: SigningKey) => ({ keyId, publicKeyPem });
  const DISTRUST = 'This may not be the same store.';

  it('are on first use those that it lists, without what is not a key, if they are one chain', () => {
    expect(firstKeys(chain)).toEqual({ ok: true, keys: signers.map(bare) });
    const broken = { ok: false, message: expect.stringContaining(`or is listed twice. ${DISTRUST}`) };
    expect(firstKeys([chain[0] as StoreKey, chain[2] as StoreKey])).toEqual(broken);
    expect(firstKeys([...root(first), ...root(second)])).toEqual(broken);
    const message = 'The key of the store does not match its id.';
    for (const listed of [
      [],
      [{ ...bare(first), keyId: second.keyId }],
      [{ ...bare(first), publicKeyPem: 'x' }],
    ])
      expect(firstKeys(listed)).toEqual({ ok: false, message });
  });

  it('have the id that is computed, and that of a foreign store where it names one', () => {
    expect(firstKeys([{ ...bare(first), keyId: 'their-key' }])).toEqual({ ok: true, keys: [bare(first)] });
    expect(followKeys([bare(first)], [{ ...bare(first), keyId: 'their-key' }])).toEqual({
      ok: true,
      keys: [bare(first)],
    });
  });

  it('are the trusted ones with their successors', () => {
    expect(followKeys([bare(first)], root(first))).toEqual({ ok: true, keys: [bare(first)] });
    expect(followKeys([bare(first)], chain)).toEqual({ ok: true, keys: signers.map(bare) });
    expect(followKeys([bare(first), bare(second)], chain.slice(1))).toMatchObject({ ok: false });
    expect(followKeys([bare(first), bare(second)], chain)).toEqual({ ok: true, keys: signers.map(bare) });
  });

  it('are not those of another store, nor a key that was retired before', () => {
    const notPinned = `The pinned key is not among the keys of the store. ${DISTRUST}`;
    expect(followKeys([bare(first)], root(stranger))).toEqual({ ok: false, message: notPinned });
    expect(followKeys([bare(first)], [])).toMatchObject({ ok: false });
    const back = appendKey(root(second), second, first, day(2));
    expect(followKeys([bare(first), bare(second)], back)).toEqual({
      ok: false,
      message: `The store uses a retired key again. ${DISTRUST}`,
    });
  });
});

describe('the interop vectors', () => {
  const vectors = readInterop('keys') as KeyVector[];

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const verdict = verifyKeyChain({ publicKeyPem: vector.pinned }, vector.keys);
    const came = verdict.ok ? { trusted: verdict.keys.map(({ keyId }) => keyId) } : verdict;
    const expected = vector.verdict === 'accept' ? { trusted: vector.trusted } : { refusal: vector.refusal };
    expect(came).toMatchObject(expected);
  });
});
