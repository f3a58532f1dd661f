import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a temporary folder, removed after the test. @returns its real path */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'svc-desktop-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
