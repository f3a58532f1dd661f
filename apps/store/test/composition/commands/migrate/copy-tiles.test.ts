import {
  appendEntries,
  EMPTY_EDGE,
  EMPTY_ROOT,
  formatCheckpoint,
  formatNote,
  rootOfEdge,
  tileOf,
  tilePath,
} from '@svc/log';
import { describe, expect, it } from 'vitest';
import { copyTiles } from '../../../../src/composition/commands/migrate/copy-tiles.ts';

/** A storage of tiles in memory, with the log of a size. */
function storageOf(size: number | null) {
  const tiles = new Map<string, Uint8Array>();
  let checkpoint: string | null = null;
  if (size !== null) {
    const entries = Array.from({ length: size }, (_, n) => Buffer.from(String(n)));
    const { edge, tiles: written } = appendEntries(EMPTY_EDGE, entries);
    for (const { tile, bytes } of written) tiles.set(tilePath(tile), bytes);
    for (
      let index = 0, tile = tileOf('entries', 0, size);
      tile;
      index += 1, tile = tileOf('entries', index, size)
    )
      tiles.set(tilePath(tile), Buffer.from(`bundle ${index}`));
    const text = formatCheckpoint({ origin: 'store.test', size, root: rootOfEdge(edge) ?? EMPTY_ROOT });
    checkpoint = formatNote({
      text,
      signatures: [{ name: 'store.test', keyId: 1, bytes: Buffer.alloc(64) }],
    });
  }
  return {
    tiles,
    keptRecord: async () => checkpoint,
    tile: async (path: string) => tiles.get(path) ?? null,
    keepTile: async (path: string, bytes: Uint8Array) => void tiles.set(path, bytes),
  };
}

describe('copying the tiles of a log', () => {
  it.each([0, 1, 255, 256, 257, 70_000])('copies each of %i entries, and none twice', async (size) => {
    const [from, to] = [storageOf(size), storageOf(null)];
    expect(await copyTiles(from, to)).toBe(from.tiles.size);
    expect(to.tiles).toEqual(from.tiles);
    expect(await copyTiles(from, to)).toBe(0);
  });

  it('copies nothing of a store without a log, and leaves out what is missing', async () => {
    expect(await copyTiles(storageOf(null), storageOf(null))).toBe(0);
    const from = storageOf(257);
    from.tiles.delete('tile/0/000');
    const to = storageOf(null);
    expect(await copyTiles(from, to)).toBe(4);
    expect([...to.tiles.keys()].sort()).toEqual([...from.tiles.keys()].sort());
  });
});
