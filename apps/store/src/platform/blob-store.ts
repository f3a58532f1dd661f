/** Bytes on their way in, in a local file that nobody can ask for. They are never held in memory. */
export type StagedBlob = {
  sha256: string;
  /** Bytes. */
  size: number;
  /** A local file that holds the bytes for as long as they are staged. */
  file: string;
  /**
   * Begins what `keep` waits for, without waiting: for bytes that will be kept, as far as is known. What will not be kept
   * must not keep the disk busy.
   */
  prepare(): void;
  /** Makes the bytes durable under their hash. Resolves only when they survive a power cut. */
  keep(): Promise<void>;
  /** Forgets the bytes, unless they were kept. */
  discard(): Promise<void>;
};

/** A part of some bytes, which lies within them; at least one byte. */
export type ByteRange = { offset: number; length: number };

/** Bytes that are there. Nothing is opened until the stream is asked for. */
export type StoredBlob = {
  /** Bytes. */
  size: number;
  /** When they were last kept. */
  keptAt: Date;
  /** Where they lie below the folder of the storage, where they are a file on this machine. */
  place?: string;
  /**
   * A signed address at which anyone may read all of them, where the storage has such.
   * @param seconds how long it is valid
   * @param type their media type, and the name of the file
   */
  address?(seconds: number, type: { mediaType: string; disposition: string }): Promise<string>;
  /** All of them, where they are in memory. */
  bytes?: Uint8Array;
  /** All of them, or a part. */
  stream(part?: ByteRange): ReadableStream<Uint8Array>;
};

/** Bytes addressed by their hash. A hash is 64 hex digits; no other name reaches the storage. */
export interface BlobStore {
  /**
   * Takes in a stream without holding it in memory.
   * @returns null when the stream has more than `limit` bytes; nothing of it is left then
   */
  stage(source: AsyncIterable<Uint8Array>, limit: number): Promise<StagedBlob | null>;
  /** Makes bytes durable and returns their hash. */
  put(bytes: Uint8Array): Promise<string>;
  /** Finds bytes; null when there are none. */
  open(sha256: string): Promise<StoredBlob | null>;
  /** All hashes held. */
  list(): AsyncIterable<string>;
  remove(sha256: string): Promise<void>;
  /** Removes what is on its way in, in this folder, and was last written to before a time: the process that did is dead. */
  sweepStaged(before: Date): Promise<void>;
  /** The name of the store that the bytes belong to; null when none has claimed them. */
  owner(): Promise<string | null>;
  /** Claims the bytes for a store, durably. */
  claim(owner: string): Promise<void>;
  /** The revocation list that was kept beside the bytes, as text; null when there is none. */
  keptList(): Promise<string | null>;
  /** Keeps a revocation list beside the bytes, durably, in the place of the one before. */
  keepList(list: string): Promise<void>;
}
