import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { inspectBundle } from '../../publishing/inspect-bundle.ts';

// The thread in which bundles are opened: its memory is bounded, and it can be ended from outside whatever it is doing.
const { reservedNames } = workerData as { reservedNames: readonly string[] };

/** Bytes that are alone in their buffer, so that the buffer can be handed over instead of copied. */
const alone = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

parentPort?.on('message', (file: string) => {
  const inspection = inspectBundle(readFileSync(file), reservedNames);
  if (!inspection.ok) return parentPort?.postMessage(inspection);
  const { candidate } = inspection;
  const pictures = candidate.pictures.map((picture) => ({ ...picture, bytes: alone(picture.bytes) }));
  const handed = { ok: true, candidate: { ...candidate, pictures } };
  return parentPort?.postMessage(
    handed,
    pictures.map((picture) => picture.bytes.buffer),
  );
});
