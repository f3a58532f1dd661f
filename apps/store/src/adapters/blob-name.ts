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
