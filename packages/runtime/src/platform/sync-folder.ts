import { closeSync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const flush = promisify(fsync);

/** Makes changes of the names in a folder durable (fsync). */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and makes names durable automatically.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    await flush(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
