import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Registers what to do at the end of a test, or of all tests of a file: `onTestFinished` or `afterAll`. */
export type AtEnd = (end: () => Promise<void>) => void;

/** A temporary folder, deleted when the test ends. */
export async function tempFolder(atEnd: AtEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-runtime-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
