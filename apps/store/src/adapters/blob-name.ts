const SHA256 = /^[0-9a-f]{64}$/;

export const isBlobName = (name: string): boolean => SHA256.test(name);

/**
 * The shard of a blob: the first two digits of its hash. Every access to a blob calls this, so that only hashes reach a storage.
 * @throws for any other name
 */
export function shardPath(sha256: string): string {
  if (!isBlobName(sha256)) throw new Error('A blob name is not a hash.');
  return sha256.slice(0, 2);
}

/**
 * The parts of the path of a tile. Every access to a tile calls this, so that only tiles reach a storage.
 * @throws for any other path
 */
export function tileParts(path: string): string[] {
  if (!/^tile\/(entries|\d{1,2})(\/x\d{3}){0,5}\/\d{3}(\.p\/\d{1,3})?$/.test(path))
    throw new Error('A path is not that of a tile.');
  return path.split('/');
}
