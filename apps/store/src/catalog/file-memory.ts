import { LRUCache } from 'lru-cache';
import type { BlobStore, StoredBlob } from '../platform/blob-store.ts';

/** Larger files are read each time, and sent as they are read. */
const MAX_FILE = 256 * 1024;

/** All that is kept, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;

type InMemory = StoredBlob & { bytes: Uint8Array };

/** Bytes that are at hand, as a storage gives them out. */
const inMemory = (bytes: Uint8Array, keptAt: Date): InMemory => ({
  size: bytes.byteLength,
  keptAt,
  bytes,
  stream: (part = { offset: 0, length: bytes.byteLength }) =>
    new Blob([bytes.subarray(part.offset, part.offset + part.length) as Uint8Array<ArrayBuffer>]).stream(),
});

/**
 * Keeps icons and other small files, those asked for last, by the hash of what they hold: they never change, and who may have
 * them is asked before, each time. So what is yanked, suspended or replaced is gone at once, in every process.
 */
export function createFileMemory(blobs: Pick<BlobStore, 'open'>) {
  const kept = new LRUCache<string, InMemory>({
    maxSize: MAX_BYTES,
    // An empty file takes room too.
    sizeCalculation: ({ size }) => Math.max(1, size),
  });

  return {
    /** Bytes of the storage; null when it has none. */
    async open(sha256: string): Promise<StoredBlob | null> {
      const known = kept.get(sha256);
      if (known) return known;
      const blob = await blobs.open(sha256);
      if (!blob || blob.size > MAX_FILE) return blob;
      const read = inMemory(new Uint8Array(await new Response(blob.stream()).arrayBuffer()), blob.keptAt);
      kept.set(sha256, read);
      return read;
    },
    /**
     * Bytes that are made, under a name that no hash is.
     * @param isLasting whether they may be kept
     */
    async made(
      name: string,
      make: () => Promise<Uint8Array>,
      isLasting: (bytes: Uint8Array) => boolean,
    ): Promise<InMemory> {
      const known = kept.get(name);
      if (known) return known;
      const blob = inMemory(await make(), new Date(0));
      if (blob.size <= MAX_FILE && isLasting(blob.bytes)) kept.set(name, blob);
      return blob;
    },
    /** What is kept under the hash, or the name, of something; undefined when nothing is. */
    find: (name: string): Uint8Array | undefined => kept.get(name)?.bytes,
    /** What is kept, in bytes. */
    size: (): number => kept.calculatedSize,
  };
}

export type FileMemory = ReturnType<typeof createFileMemory>;
