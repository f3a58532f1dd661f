import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { UnavailableError } from '../../platform/unavailable-error.ts';

/** Bytes per read. */
const PIECE_BYTES = 256 * 1024;

/** Files whose state is remembered: some 200 bytes each. */
const MAX_KNOWN = 20_000;

/** A file that was changed more recently may change again within the same tick of its file system's clock, in milliseconds. */
const SETTLED_MS = 1_000;

const NS_PER_MS = 1_000_000n;

/** Changes when a file is replaced or written to: its time of change cannot be set. */
const stateOf = ({ dev, ino, size, ctimeNs }: BigIntStats): string => `${dev}:${ino}:${size}:${ctimeNs}`;

async function hashOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES, at);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/** Files that are named by the hash of their bytes, and were compared with it. */
export function createIntactFiles() {
  const known = new LRUCache<string, string>({ max: MAX_KNOWN });
  return {
    /** Whether a file was compared, and has not changed since. */
    isKnown: (sha256: string, stats: BigIntStats): boolean => known.get(sha256) === stateOf(stats),
    /**
     * Compares an open file with its hash, unless it has not changed since it was compared.
     * @throws UnavailableError when the bytes are others
     */
    async compare(sha256: string, handle: FileHandle): Promise<void> {
      const stats = await handle.stat({ bigint: true });
      if (known.get(sha256) === stateOf(stats)) return;
      if ((await hashOf(handle)) !== sha256)
        throw new UnavailableError(`The file ${sha256} has other bytes: restore it from a backup.`);
      if (Number(stats.ctimeNs / NS_PER_MS) < Date.now() - SETTLED_MS) known.set(sha256, stateOf(stats));
    },
  };
}
