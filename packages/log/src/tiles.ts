import { HASH_BYTES, leafHash, nodeHash } from './hashes.ts';
import type { HashAt, Node } from './tree.ts';

/** The height of tiles (tlog-tiles): a full tile has 2^8 hashes. */
const HEIGHT = 8;

/** Hashes of a full tile, and entries of a full bundle. */
export const TILE_WIDTH = 256;

/** Bytes of the largest entry: bundles of entries have 16 bits for the length of each. */
export const ENTRY_BYTES = 65_535;

/** A tile, or a bundle of entries, of a width of 1 to 256. */
export type Tile = { level: number | 'entries'; index: number; width: number };

/** The path of a tile below the prefix of the log (tlog-tiles, "Merkle Tree"), such as `tile/0/x001/x234/067.p/17`. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const parts = padded.match(/\d{3}/g) ?? [];
  const place = parts.map((part, at) => (at < parts.length - 1 ? `x${part}` : part)).join('/');
  return `tile/${level}/${place}${width < TILE_WIDTH ? `.p/${width}` : ''}`;
}

const PATH =
  /^tile\/(?<level>entries|0|[1-9]|[1-5]\d|6[0-3])\/(?<place>(?:x\d{3}\/)*\d{3})(?:\.p\/(?<width>[1-9]\d{0,2}))?$/;

/** Parses the path of a tile. @returns null for a path that no tile has, such as one with needless zeroes */
export function readTilePath(path: string): Tile | null {
  const { level, place, width } = PATH.exec(path)?.groups ?? {};
  if (level === undefined || place === undefined) return null;
  const index = Number(place.replace(/[x/]/g, ''));
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index,
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  if (!Number.isSafeInteger(index) || (width !== undefined && tile.width >= TILE_WIDTH)) return null;
  return tilePath(tile) === path ? tile : null;
}

/** How many hashes a tree of a size has at a level of tiles. */
const countAt = (level: number, size: number): number => Math.floor(size / TILE_WIDTH ** level);

/** The tile or bundle at a place, as wide as a tree of a size has it; null where that tree has none. */
export function tileOf(level: number | 'entries', index: number, size: number): Tile | null {
  const width = Math.min(TILE_WIDTH, countAt(level === 'entries' ? 0 : level, size) - index * TILE_WIDTH);
  return width > 0 ? { level, index, width } : null;
}

/** Where the hash of a node is: the tile, and the hashes of it that lie below the node. */
function placeOf({ level, index }: Node) {
  const tileLevel = Math.floor(level / HEIGHT);
  const count = 2 ** (level % HEIGHT);
  const first = index * count;
  return { tileLevel, tileIndex: Math.floor(first / TILE_WIDTH), offset: first % TILE_WIDTH, count };
}

/** The tiles of a tree that nodes are computed from, each once. */
export function tilesOf(nodes: readonly Node[], size: number): Tile[] {
  const tiles = new Map<string, Tile>();
  for (const node of nodes) {
    const { tileLevel, tileIndex } = placeOf(node);
    const tile = tileOf(tileLevel, tileIndex, size);
    if (tile) tiles.set(tilePath(tile), tile);
  }
  return [...tiles.values()];
}

const hashesOf = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: Math.floor(bytes.length / HASH_BYTES) }, (_, at) =>
    bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );

/** The root of a complete subtree over hashes; their number is a power of two. */
function foldComplete(hashes: readonly Uint8Array[]): Uint8Array {
  let row = hashes;
  while (row.length > 1)
    row = Array.from({ length: row.length / 2 }, (_, at) =>
      nodeHash(row[at * 2] as Uint8Array, row[at * 2 + 1] as Uint8Array),
    );
  return row[0] as Uint8Array;
}

/**
 * Reads the hashes of a tree from its tiles. Tiles are not trusted: whatever is computed from them must be compared with a signed root.
 * @param tiles by path, as `tilesOf` names them
 */
export function readTiles(tiles: ReadonlyMap<string, Uint8Array>, size: number): HashAt {
  return (node) => {
    const { tileLevel, tileIndex, offset, count } = placeOf(node);
    const tile = tileOf(tileLevel, tileIndex, size);
    const bytes = tile && tiles.get(tilePath(tile));
    if (!tile || !bytes || offset + count > tile.width)
      throw new RangeError(`The tile of node ${node.index} at level ${node.level} is missing.`);
    if (bytes.length !== tile.width * HASH_BYTES)
      throw new RangeError(`${tilePath(tile)} has ${bytes.length} bytes, not ${tile.width * HASH_BYTES}.`);
    return foldComplete(hashesOf(bytes.subarray(offset * HASH_BYTES, (offset + count) * HASH_BYTES)));
  };
}

/**
 * Encodes a bundle of entries (tlog-tiles, "Log entries"): each with its length before it, as 16 bits, big-endian.
 * @throws RangeError for an entry over 65,535 bytes
 */
export function encodeEntries(entries: readonly Uint8Array[]): Uint8Array {
  const parts = entries.flatMap((entry) => {
    if (entry.length > ENTRY_BYTES) throw new RangeError(`An entry has ${entry.length} bytes.`);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(entry.length);
    return [length, entry];
  });
  return Buffer.concat(parts);
}

/** Decodes a bundle of entries of a width; null when it is cut, or has more or less. */
export function decodeEntries(bytes: Uint8Array, width: number): Uint8Array[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: Uint8Array[] = [];
  let at = 0;
  while (entries.length < width) {
    if (at + 2 > bytes.length) return null;
    const end = at + 2 + view.getUint16(at);
    if (end > bytes.length) return null;
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return at === bytes.length ? entries : null;
}

/** The hashes of the partial tile of each level, which is what a tree is continued from. */
export type Edge = { size: number; rows: readonly (readonly Uint8Array[])[] };

export const EMPTY_EDGE: Edge = { size: 0, rows: [] };

/** The root of the tree that ends with an edge. */
export function rootOfEdge({ rows }: Edge): Uint8Array | null {
  let root: Uint8Array | null = null;
  for (const row of rows) {
    let end = row.length;
    // The smallest complete subtree is the rightmost one.
    while (end > 0) {
      const count = end & -end;
      const left = foldComplete(row.slice(end - count, end));
      root = root === null ? left : nodeHash(left, root);
      end -= count;
    }
  }
  return root;
}

/** Tiles of hashes with their bytes, of the level that comes first. */
export type WrittenTile = { tile: Tile; bytes: Uint8Array };

/**
 * Appends entries to a tree.
 * @returns the tiles of hashes that the longer tree has and the shorter one did not, and the new edge
 */
export function appendEntries(
  edge: Edge,
  entries: readonly Uint8Array[],
): { edge: Edge; tiles: WrittenTile[] } {
  const size = edge.size + entries.length;
  const tiles: WrittenTile[] = [];
  const rows: Uint8Array[][] = [];
  let fresh = entries.map(leafHash);
  for (let level = 0; fresh.length > 0 || level < edge.rows.length; level += 1) {
    const row = [...(edge.rows[level] ?? []), ...fresh];
    const firstTile = Math.floor(countAt(level, edge.size) / TILE_WIDTH);
    const changed = fresh.length > 0;
    fresh = [];
    let at = 0;
    for (; at + TILE_WIDTH <= row.length; at += TILE_WIDTH) {
      const hashes = row.slice(at, at + TILE_WIDTH);
      const index = firstTile + at / TILE_WIDTH;
      tiles.push({ tile: { level, index, width: TILE_WIDTH }, bytes: Buffer.concat(hashes) });
      fresh.push(foldComplete(hashes));
    }
    const rest = row.slice(at);
    rows.push(rest);
    const partial = tileOf(level, firstTile + at / TILE_WIDTH, size);
    if (changed && partial && rest.length > 0) tiles.push({ tile: partial, bytes: Buffer.concat(rest) });
  }
  return { edge: { size, rows }, tiles };
}
