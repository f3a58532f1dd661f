const SHA256 = /^[0-9a-f]{64}$/;

/** Whether a name is that of a blob. */
export const isBlobName = (name: string): boolean => SHA256.test(name);

/**
 * The shard that holds a blob: the first two digits of its hash. Every way to a blob leads through here, so that nothing
 * but a hash reaches a storage.
 * @throws for any other name
 */
export function shardPath(sha256: string): string {
  if (!isBlobName(sha256)) throw new Error('A blob name is not a hash.');
  return sha256.slice(0, 2);
}
