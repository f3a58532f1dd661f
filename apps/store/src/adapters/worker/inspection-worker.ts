import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { LIMITS } from '@svc/contracts';
import { inspectBundle } from '../../domain/versions/inspect-bundle.ts';
import { collectGarbage } from '../../platform/collect-garbage.ts';
import { openUpload } from '../../publishing/open-bundle.ts';
import type { InspectionTask, InspectionThread } from './worker-inspector.ts';

// The thread in which bundles are opened: its memory is bounded, and it can be ended from outside whatever it is doing.
const { rules, niceness } = workerData as InspectionThread;

/** The bundle at hand, or one before it; it grows with the bundles, so that a thread of small ones stays small. */
let held = Buffer.alloc(0);

/** Room for a bundle, which is known to be no larger than one may be. */
function roomFor(bytes: number): Buffer {
  if (bytes > held.byteLength) {
    const room = 2 ** Math.ceil(Math.log2(bytes));
    held = Buffer.allocUnsafeSlow(Math.min(room, LIMITS.bundle.bytes));
  }
  return held;
}

/** Reads a bundle, all of which is there. */
function read(file: string): Uint8Array {
  const handle = openSync(file, 'r');
  try {
    const room = roomFor(Math.min(fstatSync(handle).size, LIMITS.bundle.bytes));
    for (let size = 0; ; ) {
      const taken = readSync(handle, room, size, room.byteLength - size, size);
      if (taken === 0) return room.subarray(0, size);
      size += taken;
    }
  } finally {
    closeSync(handle);
  }
}

/** Bytes that are alone in their buffer, so that the buffer can be handed over instead of copied. */
const alone = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

/**
 * Who waits for a page should not wait for an inspection. On Linux the priority is that of this thread alone
 * (setpriority(2), "C library/kernel differences"); elsewhere it would be that of the whole process.
 */
if (process.platform === 'linux') setPriority(niceness);

const enter = (stage: 'zip' | 'pictures' | 'files') => parentPort?.postMessage({ stage });

/** Sends what was found; the pictures are handed over, not copied. */
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

/** From this size on, in bytes, what a bundle held is given back before the next one comes. Less is left to V8. */
const LARGE_BYTES = 8 * 1024 * 1024;

parentPort?.on('message', (task: InspectionTask) => {
  enter('zip');
  const bytes = read(task.file);
  if (task.ask === 'inspect') inspect(bytes);
  else parentPort?.postMessage({ answer: openUpload(bytes, rules, task.mostMs) });
  if (bytes.byteLength >= LARGE_BYTES) collectGarbage('major');
});

parentPort?.postMessage({ ready: true });
// Kept for the next thread: this one may be ended at any time.
flushCompileCache();
