import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { LIMITS } from '@svc/contracts';
import { inspectBundle } from '../../core/domain/versions/inspect-bundle.ts';
import { openUpload } from '../../core/publishing/open-bundle.ts';
import { collectGarbage } from '../../platform/collect-garbage.ts';
import type { InspectionTask, InspectionThread } from './worker-inspector.ts';

// The thread that inspects bundles: its memory is limited, and the main thread can terminate it at any time.
const { rules, niceness } = workerData as InspectionThread;

/** The buffer of the current bundle, reused for the next one; it grows with the bundles, so that small ones need little memory. */
let buffer = Buffer.alloc(0);

/** Returns a buffer for a bundle, whose size has been checked. */
function roomFor(bytes: number): Buffer {
  if (bytes > buffer.byteLength) {
    const room = 2 ** Math.ceil(Math.log2(bytes));
    buffer = Buffer.allocUnsafeSlow(Math.min(room, LIMITS.bundle.bytes));
  }
  return buffer;
}

/** Reads a whole bundle. */
function read(file: string): Uint8Array {
  const handle = openSync(file, 'r');
  try {
    const room = roomFor(Math.min(fstatSync(handle).size, LIMITS.bundle.bytes));
    for (let size = 0; ; ) {
      const bytesRead = readSync(handle, room, size, room.byteLength - size, size);
      if (bytesRead === 0) return room.subarray(0, size);
      size += bytesRead;
    }
  } finally {
    closeSync(handle);
  }
}

/** Bytes that are alone in their buffer, so that the buffer can be transferred instead of copied. */
const alone = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

/**
 * Lowers the priority of this thread, so that inspections do not delay requests for pages. On Linux the priority is that of one thread
 * (setpriority(2), "C library/kernel differences"); elsewhere it would be that of the whole process.
 */
if (process.platform === 'linux') setPriority(niceness);

const enter = (stage: 'zip' | 'pictures' | 'files') => parentPort?.postMessage({ stage });

/** Sends the result; pictures are transferred, not copied. */
function inspect(bytes: Uint8Array): void {
  const inspection = inspectBundle(bytes, rules, enter);
  const pictures = inspection.ok
    ? inspection.candidate.pictures.map((picture) => ({ ...picture, bytes: alone(picture.bytes) }))
    : [];
  const answer = inspection.ok ? { ok: true, candidate: { ...inspection.candidate, pictures } } : inspection;
  parentPort?.postMessage(
    { answer },
    pictures.map((picture) => picture.bytes.buffer),
  );
}

/**
 * Size in bytes from which the memory of a bundle is released before the next one. Smaller buffers are left to the garbage collector.
 */
const LARGE_BYTES = 8 * 1024 * 1024;

parentPort?.on('message', (task: InspectionTask) => {
  enter('zip');
  const bytes = read(task.file);
  if (task.ask === 'inspect') inspect(bytes);
  else parentPort?.postMessage({ answer: openUpload(bytes, rules, task.mostMs) });
  if (bytes.byteLength >= LARGE_BYTES) collectGarbage('major');
});

parentPort?.postMessage({ ready: true });
// Written now for the next thread: this one may be terminated at any time.
flushCompileCache();
