import { UnavailableError } from './unavailable-error.ts';

/** Bytes that are being uploaded, in a local file that no client can request. They are never held in memory. */
export type StagedBlob = {
  sha256: string;
  /** Bytes. */
  size: number;
  /** The local file of the bytes while they are staged. */
  file: string;
  /**
   * Starts the work that `keep` waits for. Call it only for bytes that are likely to be kept: others must not keep the disk busy.
   */
  prepare(): void;
  /** Makes the bytes durable under their hash. Resolves only when they survive a power cut. */
  keep(): Promise<void>;
  /** Deletes the bytes, unless they were kept. */
  discard(): Promise<void>;
};

/** A range within some bytes, of at least one byte. */
export type ByteRange = { offset: number; length: number };

/** Stored bytes. Nothing is opened until `stream` or `requireIntact` is called. */
export type StoredBlob = {
  /** Bytes. */
  size: number;
  /** When they were last kept. */
  keptAt: Date;
  /** Their path within the folder of the storage, when they are a file on this machine. */
  place?: string;
  /**
   * Creates a presigned URL to read all of them, when the storage supports it.
   * @param seconds how long it is valid
   * @param type their media type, and the name of the file
   */
  address?(seconds: number, type: { mediaType: string; disposition: string }): Promise<string>;
  /** All of them, when they are in memory. */
  bytes?: Uint8Array;
  /** Opens a stream of all of them, or of a part. It fails when all of them are read, and are not those of their hash. */
  stream(part?: ByteRange): ReadableStream<Uint8Array>;
  /**
   * Compares them with their hash, unless they have not changed since they were compared. Omitted where only reading all of them does.
   * @throws UnavailableError when they are others
   */
  requireIntact?(): Promise<void>;
};

/** Opens the bytes of a version. @throws UnavailableError when they are missing */
export async function openStored(blobs: Pick<BlobStore, 'open'>, sha256: string): Promise<StoredBlob> {
  const blob = await blobs.open(sha256);
  if (!blob) throw new UnavailableError(`The file ${sha256} is missing: restore it from a backup.`);
  return blob;
}

/**
 * Compares stored bytes with their hash, before the store vouches for them by its signature.
 * @throws UnavailableError when they are missing, or others
 */
export async function requireIntact(blobs: Pick<BlobStore, 'open'>, sha256: string): Promise<void> {
  const blob = await openStored(blobs, sha256);
  if (blob.requireIntact) return blob.requireIntact();
  for await (const _piece of blob.stream());
}

/**
 * What is stored next to the bytes, so that an older database is noticed: the last revocation list, the versions that were published
 * last, and the last checkpoint of the log. The value is the name of its file or object.
 */
export const KEPT_RECORDS = ['revocations', 'published', 'checkpoint', 'backup'] as const;
export type KeptRecord = (typeof KEPT_RECORDS)[number];

/** Bytes addressed by their hash. A hash is 64 hex digits; no other name reaches the storage. */
export interface BlobStore {
  /**
   * Spools a stream to a file.
   * @returns null when the stream has more than `limit` bytes; the file is then deleted
   */
  stage(source: AsyncIterable<Uint8Array>, limit: number): Promise<StagedBlob | null>;
  /** Makes bytes durable and returns their hash. */
  put(bytes: Uint8Array): Promise<string>;
  /** Finds stored bytes; null when there are none. */
  open(sha256: string): Promise<StoredBlob | null>;
  /** The hashes of all stored bytes. */
  list(): AsyncIterable<string>;
  remove(sha256: string): Promise<void>;
  /** Deletes staged files in this folder that were last written before a time, left by a process that has died. */
  sweepStaged(before: Date): Promise<void>;
  /** The name of the store that owns the bytes; null when none has claimed them. */
  owner(): Promise<string | null>;
  /** Claims the bytes for a store, durably. */
  claim(owner: string): Promise<void>;
  /** A record that is stored next to the bytes, as text; null when there is none. */
  keptRecord(name: KeptRecord): Promise<string | null>;
  /** Stores a record next to the bytes, durably, and replaces the previous one. */
  keepRecord(name: KeptRecord, text: string): Promise<void>;
  /** A tile of the log; null when there is none. @param path as `tilePath` writes it */
  tile(path: string): Promise<Uint8Array | null>;
  /** Stores a tile of the log durably. A tile is always written with the same bytes. */
  keepTile(path: string, bytes: Uint8Array): Promise<void>;
}
