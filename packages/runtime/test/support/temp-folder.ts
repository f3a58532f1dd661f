import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A temporary folder, deleted when the test ends. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-runtime-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
