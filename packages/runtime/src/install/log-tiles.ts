import {
  base64Of,
  type Head,
  planConsistency,
  planRoot,
  readTiles,
  sameBytes,
  tilePath,
  tilesOf,
  verifyConsistency,
} from '@svc/log';

/** What the tiles of a log say of an older checkpoint, and the proof of consistency that they give. */
export type TileVerdict = { verdict: 'continued' | 'forked' | 'damaged'; proof: readonly string[] };

const DAMAGED: TileVerdict = { verdict: 'damaged', proof: [] };

/**
 * Compares a checkpoint with an older one by the tiles of the log: a mirror of plain files computes no proof. Tiles that do not lead to the
 * checkpoint are damaged; those that do, and have another tree at the older size, prove a fork.
 * @param before neither empty nor larger than `opened`
 * @param read reads a tile, not trusted. @throws when it is missing
 */
export async function compareByTiles(
  before: Head,
  opened: Head,
  read: (path: string) => Promise<Uint8Array>,
): Promise<TileVerdict> {
  const [root, growth] = [planRoot(before.size), planConsistency(before.size, opened.size)];
  const paths = tilesOf([...root.nodes, ...growth.nodes], opened.size).map(tilePath);
  const tiles = new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)));
  try {
    const at = readTiles(tiles, opened.size);
    const [own] = root.hashes(at);
    const proof = growth.hashes(at);
    if (!own || !verifyConsistency({ size: before.size, root: own }, opened, proof)) return DAMAGED;
    return { verdict: sameBytes(own, before.root) ? 'continued' : 'forked', proof: proof.map(base64Of) };
  } catch {
    return DAMAGED;
  }
}
