import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EMPTY_ROOT,
  leafHash,
  nodeHash,
  planConsistency,
  planInclusion,
  planRoot,
  verifyConsistency,
  verifyInclusion,
} from '../src/index.ts';

/** The Merkle tree hash of RFC 6962 section 2.1, written as there. */
function mth(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return EMPTY_ROOT;
  if (leaves.length === 1) return leaves[0] as Uint8Array;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return nodeHash(mth(leaves.slice(0, k)), mth(leaves.slice(k)));
}

const LEAVES = Array.from({ length: 600 }, (_, index) => leafHash(Buffer.from(`entry ${index}`)));
const rootOf = (size: number) => mth(LEAVES.slice(0, size));
const at = ({ level, index }: { level: number; index: number }) =>
  mth(LEAVES.slice(index * 2 ** level, (index + 1) * 2 ** level));

const sizes = fc.integer({ min: 1, max: LEAVES.length });
const sizeWithIndex = sizes.chain((size) =>
  fc.tuple(fc.constant(size), fc.integer({ min: 0, max: size - 1 })),
);
const twoSizes = sizes.chain((size) => fc.tuple(fc.integer({ min: 0, max: size }), fc.constant(size)));

/** A proof with one bit of one hash changed, or a hash more or less. */
const forgeries = (proof: readonly Uint8Array[]): Uint8Array[][] => [
  ...proof.map((hash, place) => proof.map((one, at) => (at === place ? nodeHash(hash, hash) : one))),
  [...proof, EMPTY_ROOT],
  ...(proof.length > 0 ? [proof.slice(1), proof.slice(0, -1)] : []),
];

describe('a tree', () => {
  it('has the hashes of RFC 6962', () => {
    expect(Buffer.from(EMPTY_ROOT).toString('hex')).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    fc.assert(
      fc.property(sizes, (size) => {
        expect(planRoot(size).hashes(at)).toEqual([rootOf(size)]);
      }),
    );
  });

  it('proves each of its entries, and nothing else', () => {
    fc.assert(
      fc.property(sizeWithIndex, ([size, index]) => {
        const [leaf, root] = [LEAVES[index] as Uint8Array, rootOf(size)];
        const proof = planInclusion(index, size).hashes(at);
        expect(verifyInclusion(leaf, index, size, proof, root)).toBe(true);
        for (const forged of forgeries(proof))
          expect(verifyInclusion(leaf, index, size, forged, root)).toBe(false);
        expect(verifyInclusion(EMPTY_ROOT, index, size, proof, root)).toBe(false);
        if (index > 0) expect(verifyInclusion(leaf, index - 1, size, proof, root)).toBe(false);
      }),
    );
  });

  it('proves that it continues each older one, and nothing else', () => {
    fc.assert(
      fc.property(twoSizes, ([old, size]) => {
        const [before, after] = [
          { size: old, root: rootOf(old) },
          { size, root: rootOf(size) },
        ];
        const proof = planConsistency(old, size).hashes(at);
        expect(verifyConsistency(before, after, proof)).toBe(true);
        for (const forged of forgeries(proof)) expect(verifyConsistency(before, after, forged)).toBe(false);
        const other = nodeHash(before.root, after.root);
        if (old > 0) expect(verifyConsistency({ size: old, root: other }, after, proof)).toBe(false);
        // Nothing is claimed of the root after an empty tree: every tree continues it.
        if (old > 0) expect(verifyConsistency(before, { size, root: other }, proof)).toBe(false);
      }),
    );
  });

  it('refuses sizes that are none', () => {
    const root = rootOf(3);
    for (const [index, size] of [
      [3, 3],
      [-1, 3],
      [Number.NaN, 3],
      [0, 0],
    ] as const)
      expect(verifyInclusion(LEAVES[0] as Uint8Array, index, size, [], root)).toBe(false);
    expect(verifyConsistency({ size: 4, root }, { size: 3, root }, [])).toBe(false);
    expect(() => planInclusion(3, 3)).toThrow(RangeError);
    expect(() => planConsistency(4, 3)).toThrow(RangeError);
  });
});
