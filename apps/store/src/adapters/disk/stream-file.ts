import { type FileHandle, open } from 'node:fs/promises';
import type { ByteRange } from '../../platform/blob-store.ts';
import { releaseBuffers } from '../../platform/collect-garbage.ts';

/**
 * Bytes per read. Each read costs a turn of the event loop, a thread of the pool and several promises, which is most of the cost of a
 * download in reads of 64 KiB; a slow reader holds two of them in memory.
 */
const PIECE_BYTES = 256 * 1024;

/**
 * Streams a part of a file at the speed of its reader. Opens the file at the first read.
 * @param check called with the opened file before its first byte is read
 */
export function streamFile(
  file: string,
  { offset, length }: ByteRange,
  check: (handle: FileHandle) => Promise<void> = async () => {},
): ReadableStream<Uint8Array> {
  let handle: FileHandle | undefined;
  let at = offset;
  const end = offset + length;

  async function nextPiece(): Promise<Uint8Array> {
    if (!handle) {
      handle = await open(file);
      await check(handle);
    }
    const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - at));
    const { bytesRead } = await handle.read(piece, 0, piece.byteLength, at);
    if (bytesRead === 0) throw new Error('A file has become shorter.');
    at += bytesRead;
    // Counted before the next read: by then the reader has received it.
    releaseBuffers(bytesRead);
    return piece.subarray(0, bytesRead);
  }

  const close = async () => {
    const opened = handle;
    handle = undefined;
    await opened?.close();
  };

  return new ReadableStream(
    {
      async pull(controller) {
        try {
          if (at < end) controller.enqueue(await nextPiece());
          if (at < end) return;
          await close();
          controller.close();
        } catch (error) {
          await close();
          throw error;
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
