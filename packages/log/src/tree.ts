import { EMPTY_ROOT, nodeHash, sameBytes } from './hashes.ts';

/** A complete subtree: the one over the entries from `index * 2^level` to `(index + 1) * 2^level`, without the last. */
export type Node = { level: number; index: number };

/** Reads the hash of a complete subtree. @throws when it is not available */
export type HashAt = (node: Node) => Uint8Array;

/** Entries from the first to the second number, without the second. */
type Span = readonly [from: number, to: number];

/** The largest power of two that is smaller than a number of at least 2 (RFC 6962 section 2.1, `k`). */
function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

/** The complete subtrees of a span, from left to right. A span of a proof begins at a multiple of its first subtree. */
function nodesOfSpan([from, to]: Span): Node[] {
  const nodes: Node[] = [];
  let at = from;
  while (at < to) {
    let level = 0;
    let width = 1;
    while (at + width * 2 <= to && at % (width * 2) === 0) {
      level += 1;
      width *= 2;
    }
    nodes.push({ level, index: at / width });
    at += width;
  }
  return nodes;
}

/** The Merkle tree hash of a span, from those of its complete subtrees. */
function hashOfSpan(span: Span, at: HashAt): Uint8Array {
  const [last, ...others] = nodesOfSpan(span).map(at).reverse();
  if (!last) return EMPTY_ROOT;
  return others.reduce((right, left) => nodeHash(left, right), last);
}

/** What an inclusion proof consists of, from the sibling of the leaf up (RFC 6962 section 2.1.1). */
function spansOfInclusion(index: number, size: number): Span[] {
  const spans: Span[] = [];
  let [from, to]: Span = [0, size];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    spans.push(index < middle ? [middle, to] : [from, middle]);
    [from, to] = index < middle ? [from, middle] : [middle, to];
  }
  return spans.reverse();
}

/** What a consistency proof consists of (RFC 6962 section 2.1.2). */
function spansOfConsistency(old: number, size: number): Span[] {
  if (old === 0 || old === size) return [];
  const spans: Span[] = [];
  let [from, to]: Span = [0, size];
  // While the old tree is not exactly the left part: descend into the part in which it ends.
  while (to !== old) {
    const middle = from + splitOf(to - from);
    spans.push(old <= middle ? [middle, to] : [from, middle]);
    [from, to] = old <= middle ? [from, middle] : [middle, to];
  }
  // The old root is known to the verifier where it is a whole subtree of the new tree.
  if (from > 0) spans.push([from, to]);
  return spans.reverse();
}

const requireWithin = (ok: boolean, what: string): void => {
  if (!ok) throw new RangeError(what);
};

/** A proof: the nodes that it needs, and its hashes once they can be read. */
export type Plan = { nodes: readonly Node[]; hashes(at: HashAt): Uint8Array[] };

const planOf = (spans: readonly Span[]): Plan => ({
  nodes: spans.flatMap(nodesOfSpan),
  hashes: (at) => spans.map((span) => hashOfSpan(span, at)),
});

/**
 * Plans the proof that an entry is in a tree (RFC 6962 section 2.1.1).
 * @throws RangeError when the tree does not have the entry
 */
export function planInclusion(index: number, size: number): Plan {
  requireWithin(index >= 0 && index < size, `A tree of ${size} entries has no entry ${index}.`);
  return planOf(spansOfInclusion(index, size));
}

/**
 * Plans the proof that a tree continues an older one (RFC 6962 section 2.1.2). It is empty for equal sizes, and for the empty tree.
 * @throws RangeError when the older tree is larger
 */
export function planConsistency(old: number, size: number): Plan {
  requireWithin(old >= 0 && old <= size, `A tree of ${size} entries does not continue one of ${old}.`);
  return planOf(spansOfConsistency(old, size));
}

/** Plans the root of a tree; its only hash. */
export const planRoot = (size: number): Plan => planOf([[0, size]]);

/**
 * Walks from a node of the lowest level to the root (RFC 9162 section 2.1.3.2, step 4).
 * @param at the node, and `last` the last one of its level
 * @param length the length of the path that is given
 * @returns for each hash of the path whether it stands on the left; null when the path has another length
 */
function sidesOf(at: number, last: number, length: number): boolean[] | null {
  const sides: boolean[] = [];
  let [node, end] = [at, last];
  while (sides.length < length && end > 0) {
    const onLeft = node % 2 === 1 || node === end;
    sides.push(onLeft);
    // A node without a sibling goes up as it is.
    while (onLeft && node % 2 === 0 && node > 0) [node, end] = [node / 2, Math.floor(end / 2)];
    [node, end] = [Math.floor(node / 2), Math.floor(end / 2)];
  }
  return sides.length === length && end === 0 ? sides : null;
}

/** Verifies that an entry is in a tree (RFC 9162 section 2.1.3.2). Sizes and proofs may be any value. */
export function verifyInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  const sides = index >= 0 && index < size ? sidesOf(index, size - 1, proof.length) : null;
  const computed = sides?.reduce((hash, onLeft, place) => {
    const sibling = proof[place] as Uint8Array;
    return onLeft ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
  }, leaf);
  return computed !== undefined && sameBytes(computed, root);
}

/** The root of a tree at a size. */
export type Head = { size: number; root: Uint8Array };

/** Verifies that a tree continues an older one, which is neither empty nor of the same size (RFC 9162 section 2.1.4.2). */
function verifyGrowth(old: Head, tree: Head, proof: readonly Uint8Array[]): boolean {
  // The root of an older tree that is one complete subtree is not repeated in the proof.
  const [first, ...path] = Number.isInteger(Math.log2(old.size)) ? [old.root, ...proof] : proof;
  let [at, last] = [old.size - 1, tree.size - 1];
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  const sides = sidesOf(at, last, path.length);
  if (!first || !sides) return false;
  let [oldRoot, root] = [first, first];
  for (const [place, onLeft] of sides.entries()) {
    const sibling = path[place] as Uint8Array;
    if (onLeft) oldRoot = nodeHash(sibling, oldRoot);
    root = onLeft ? nodeHash(sibling, root) : nodeHash(root, sibling);
  }
  return sameBytes(oldRoot, old.root) && sameBytes(root, tree.root);
}

/** Verifies that a tree continues an older one (RFC 9162 section 2.1.4.2). Sizes and proofs may be any value. */
export function verifyConsistency(old: Head, tree: Head, proof: readonly Uint8Array[]): boolean {
  if (!(old.size >= 0 && old.size <= tree.size)) return false;
  if (old.size === tree.size) return proof.length === 0 && sameBytes(old.root, tree.root);
  // Nothing is to be proved of the empty tree, but that it is one.
  if (old.size === 0) return proof.length === 0 && sameBytes(old.root, EMPTY_ROOT);
  return verifyGrowth(old, tree, proof);
}
