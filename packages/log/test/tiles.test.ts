import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  appendEntries,
  decodeEntries,
  EMPTY_EDGE,
  ENTRY_BYTES,
  encodeEntries,
  leafHash,
  planConsistency,
  planInclusion,
  planRoot,
  readTilePath,
  readTiles,
  rootOfEdge,
  tileOf,
  tilePath,
  tilesOf,
  verifyConsistency,
  verifyInclusion,
} from '../src/index.ts';

const entryOf = (index: number) => Buffer.from(`entry ${index}`);
const entriesOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => entryOf(from + at));

/** Appends in several steps, as a store does, and keeps what was written. */
function grow(steps: readonly number[]) {
  const tiles = new Map<string, Uint8Array>();
  let edge = EMPTY_EDGE;
  for (const count of steps) {
    const next = appendEntries(edge, entriesOf(edge.size, edge.size + count));
    for (const { tile, bytes } of next.tiles) {
      const before = tiles.get(tilePath(tile));
      if (before) expect(Buffer.compare(before, bytes)).toBe(0);
      tiles.set(tilePath(tile), bytes);
    }
    edge = next.edge;
  }
  return { tiles, edge };
}

describe('tiles', () => {
  it('have the paths of tlog-tiles', () => {
    expect(tilePath({ level: 0, index: 1_234_067, width: 256 })).toBe('tile/0/x001/x234/067');
    expect(tilePath({ level: 'entries', index: 0, width: 17 })).toBe('tile/entries/000.p/17');
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 0, max: 63 }), fc.constant('entries' as const)),
        fc.nat({ max: 2 ** 40 }),
        fc.integer({ min: 1, max: 256 }),
        (level, index, width) => {
          const tile = { level, index, width };
          expect(readTilePath(tilePath(tile))).toEqual(tile);
        },
      ),
    );
  });

  it.each([
    'tile/0/0',
    'tile/00/000',
    'tile/64/000',
    'tile/0/x000/001',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/0/001/000',
    'tile/8/0/000',
    'tile/0/x999/x999/x999/x999/x999/x999/999',
    '../tile/0/000',
    'tile/0/000/',
    'tile/data/000',
  ])('have no path %s', (path) => expect(readTilePath(path)).toBeNull());

  it('are as wide as the example of tlog-tiles says', () => {
    expect(tileOf(0, 273, 70_000)).toMatchObject({ width: 112 });
    expect(tileOf(1, 0, 70_000)).toMatchObject({ width: 256 });
    expect(tileOf(1, 1, 70_000)).toMatchObject({ width: 17 });
    expect(tileOf(2, 0, 70_000)).toMatchObject({ width: 1 });
    expect([tileOf(0, 1, 256), tileOf(1, 0, 256)]).toEqual([null, { level: 1, index: 0, width: 1 }]);
  });

  it('are the same however a tree grew, and prove all of it', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (steps, some, other) => {
        const { tiles, edge } = grow(steps);
        const { size } = edge;
        const root = rootOfEdge(edge);
        const whole = appendEntries(EMPTY_EDGE, entriesOf(0, size));
        expect(whole.edge).toEqual(edge);
        for (const { tile, bytes } of whole.tiles) expect(tiles.get(tilePath(tile))).toEqual(bytes);
        if (size === 0 || !root) return;
        const at = readTiles(tiles, size);
        expect(planRoot(size).hashes(at)).toEqual([Buffer.from(root)]);
        const [index, old] = [some % size, other % (size + 1)];
        const inclusion = planInclusion(index, size);
        const needed = new Map(
          tilesOf(inclusion.nodes, size).map((tile) => [
            tilePath(tile),
            tiles.get(tilePath(tile)) ?? Buffer.alloc(0),
          ]),
        );
        const proof = inclusion.hashes(readTiles(needed, size));
        expect(verifyInclusion(leafHash(entryOf(index)), index, size, proof, root)).toBe(true);
        const oldRoot = rootOfEdge(appendEntries(EMPTY_EDGE, entriesOf(0, old)).edge);
        const consistency = planConsistency(old, size).hashes(at);
        if (oldRoot)
          expect(verifyConsistency({ size: old, root: oldRoot }, { size, root }, consistency)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('that are missing or cut are named', () => {
    const { tiles } = grow([300]);
    const read = (change: (all: Map<string, Uint8Array>) => void) => () => {
      const changed = new Map(tiles);
      change(changed);
      return planRoot(300).hashes(readTiles(changed, 300));
    };
    expect(read((all) => all.delete('tile/0/001.p/44'))).toThrow(/missing/);
    expect(read((all) => all.set('tile/1/000.p/1', Buffer.alloc(31)))).toThrow(
      /tile\/1\/000\.p\/1 has 31 bytes, not 32/,
    );
    // A tile of another width or height is another tile.
    expect(read((all) => all.set('tile/1/000.p/1', Buffer.alloc(64)))).toThrow(/64 bytes/);
  });

  it('have bundles of entries, which are read only whole', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 20 }), (entries) => {
        const bytes = encodeEntries(entries);
        expect(decodeEntries(bytes, entries.length)?.map((one) => [...one])).toEqual(
          entries.map((one) => [...one]),
        );
        expect(decodeEntries(bytes.subarray(0, -1), entries.length)).toBeNull();
        expect(decodeEntries(Buffer.concat([bytes, Buffer.alloc(2)]), entries.length)).toBeNull();
        expect(decodeEntries(bytes, entries.length + 1)).toBeNull();
      }),
    );
    expect(() => encodeEntries([Buffer.alloc(ENTRY_BYTES + 1)])).toThrow(RangeError);
    expect(decodeEntries(encodeEntries([Buffer.alloc(ENTRY_BYTES)]), 1)?.[0]?.length).toBe(ENTRY_BYTES);
  });
});
