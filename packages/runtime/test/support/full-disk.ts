import { type FileHandle, open } from 'node:fs/promises';
import { type MockInstance, onTestFinished, vi } from 'vitest';

/** Lets every write through a file handle fail as on a full disk, until it is restored or the test ends. */
export async function fullDisk(): Promise<MockInstance> {
  const handle = await open(import.meta.filename);
  await handle.close();
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const spy = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'writeFile').mockRejectedValue(full);
  onTestFinished(() => spy.mockRestore());
  return spy;
}
