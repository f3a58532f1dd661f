import { readCheckpoint, readNote, TILE_WIDTH, type Tile, tileOf, tilePath } from '@svc/log';
import type { BlobStore } from '../../../platform/blob-store.ts';

/** All tiles and bundles of entries of a log. */
function* tilesOfLog(size: number): Generator<Tile> {
  const levels: Tile['level'][] = ['entries'];
  for (let level = 0; TILE_WIDTH ** level <= size; level += 1) levels.push(level);
  for (const level of levels)
    for (let index = 0, tile = tileOf(level, 0, size); tile; index += 1, tile = tileOf(level, index, size))
      yield tile;
}

/**
 * Copies the tiles of the log that the other storage does not have. Call it before its checkpoint is copied: the store writes tiles that are
 * missing from its database again, but not those of a log that is longer than the database.
 * @returns how many were copied
 */
export async function copyTiles(
  from: Pick<BlobStore, 'keptRecord' | 'tile'>,
  to: Pick<BlobStore, 'tile' | 'keepTile'>,
): Promise<number> {
  const note = readNote((await from.keptRecord('checkpoint')) ?? '');
  const size = readCheckpoint(note?.text ?? '')?.size ?? 0;
  let copied = 0;
  for (const tile of tilesOfLog(size)) {
    const path = tilePath(tile);
    const bytes = await from.tile(path);
    if (!bytes || (await to.tile(path))) continue;
    await to.keepTile(path, bytes);
    copied += 1;
  }
  return copied;
}
