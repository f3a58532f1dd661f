import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of its own by its real path, gone when the test is over. */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'svc-desktop-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
