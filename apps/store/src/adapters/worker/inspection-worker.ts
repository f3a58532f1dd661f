import { closeSync, openSync, readSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { LIMITS } from '@svc/contracts';
import { collectGarbage } from '../../platform/collect-garbage.ts';
import { type BundleRules, inspectBundle } from '../../publishing/inspect-bundle.ts';

// The thread in which bundles are opened: its memory is bounded, and it can be ended from outside whatever it is doing.
const rules = workerData as BundleRules;

/** The bundle at hand; the one before is forgotten by then. */
const held = Buffer.allocUnsafeSlow(LIMITS.bundle.bytes);

/** Reads a bundle, which is known to be no larger than one may be. */
function read(file: string): Uint8Array {
  const handle = openSync(file, 'r');
  try {
    for (let size = 0; ; ) {
      const taken = readSync(handle, held, size, held.byteLength - size, size);
      if (taken === 0) return held.subarray(0, size);
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
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** Sends what was found, and lets go of the bundle. Returns its size in bytes. */
function inspect(file: string): number {
  const bytes = read(file);
  const inspection = inspectBundle(bytes, rules);
  const pictures = inspection.ok
    ? inspection.candidate.pictures.map((picture) => ({ ...picture, bytes: alone(picture.bytes) }))
    : [];
  const handed = inspection.ok ? { ok: true, candidate: { ...inspection.candidate, pictures } } : inspection;
  parentPort?.postMessage(
    handed,
    pictures.map((picture) => picture.bytes.buffer),
  );
  return bytes.byteLength;
}

/** From this size on, in bytes, what a bundle held is given back before the next one comes. Less is left to V8. */
const LARGE_BYTES = 8 * 1024 * 1024;

parentPort?.on('message', (file: string) => {
  if (inspect(file) >= LARGE_BYTES) collectGarbage('major');
});
